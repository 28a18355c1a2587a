/** A local time as milliseconds since 1970, computed as if it were UTC. It is not an instant. */
export type WallMs = number;

/** A named time zone. It converts between instants and local times. */
export interface TimeZone {
  /** The local time at an instant (milliseconds since 1970). */
  wallAt(instantMs: number): WallMs;
  /**
   * The first instant with this local time or a later one: for a skipped time the end of the gap, and for a repeated time
   * the first occurrence.
   */
  firstInstantOf(wallMs: WallMs): number;
}

/** The time zone of a name such as `Europe/Berlin`; undefined: there is no such time zone. Pure. */
export function timeZoneOf(name: string): TimeZone | undefined {
  // Temporal would also accept the time zone of a text such as `2026-11-23T10:00Z`.
  if (!/^[A-Za-z][\w+/-]*$/.test(name) || !isKnown(name)) return undefined;
  return {
    wallAt: (instantMs) => instantMs + at(instantMs, name).offsetNanoseconds / 1e6,
    firstInstantOf: (wallMs) => {
      const wall = at(wallMs, "UTC").toPlainDateTime();
      const first = wall.toZonedDateTime(name, { disambiguation: "earlier" });
      // A skipped time is treated as one before the gap.
      const isSkipped = !first.toPlainDateTime().equals(wall);
      return (isSkipped ? (first.getTimeZoneTransition("next") ?? first) : first).epochMilliseconds;
    },
  };
}

function at(instantMs: number, timeZone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(instantMs).toZonedDateTimeISO(timeZone);
}

function isKnown(timeZone: string): boolean {
  try {
    at(0, timeZone);
    return true;
  } catch {
    return false;
  }
}
