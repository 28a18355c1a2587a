/** A clock that stands still. `asked` are the instants of the future that it was asked for, RFC 3339, `passed` the number of others. */
export function aClock(now: string | number) {
  const nowMs = typeof now === "string" ? Date.parse(now) : now;
  const asked: string[] = [];
  let passed = 0;
  return {
    asked,
    passed: () => passed,
    /** The earliest of them: when a resource is reconciled again. */
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

/** What the wall clocks of a zone show at an instant, as milliseconds: read from the text that Intl writes. */
export function wallClock(timeZone: string): (atMs: number) => number {
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
  return (atMs) => Date.parse(`${format.format(atMs).replace(" ", "T")}Z`);
}

/** The fields of a local time that no zone needs to have, as `localFields()` gives them. */
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
