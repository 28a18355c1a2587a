/**
 * A clock that does not advance. `asked` contains the future instants for which it was called, RFC 3339. `passed` is the
 * number of the other calls.
 */
export function aClock(now: string | number) {
  const nowMs = typeof now === "string" ? Date.parse(now) : now;
  const asked: string[] = [];
  let passed = 0;
  return {
    asked,
    passed: () => passed,
    /** The earliest of them, which is the next requeue of a resource. */
    next: () => asked.toSorted((a, b) => Date.parse(a) - Date.parse(b)).at(0),
    reached(instant: string | Date): boolean {
      const atMs = new Date(instant).getTime();
      if (atMs <= nowMs) {
        passed += 1;
        return true;
      }
      asked.push(new Date(atMs).toISOString().replace(".000Z", "Z"));
      return false;
    },
  };
}

/** The local time of a zone at an instant, in milliseconds: parsed from the text that Intl writes. */
export function wallClock(timeZone: string): (atMs: number) => number {
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
  return (atMs) => Date.parse(`${format.format(atMs).replace(" ", "T")}Z`);
}

/** The fields of a local time, which may not exist in a zone, as `localFields()` returns them. */
export function wallFields(wallMs: number) {
  const at = new Date(wallMs);
  return {
    minute: at.getUTCMinutes(),
    hour: at.getUTCHours(),
    day: at.getUTCDate(),
    month: at.getUTCMonth() + 1,
    weekday: at.getUTCDay(),
  };
}
