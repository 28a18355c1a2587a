/** Milliseconds since 1970 of a time on a wall clock, as if it were in UTC. It names no instant by itself. */
export type WallMs = number;

/** A named time zone: what its wall clocks show at an instant, and when they first show a time. */
export interface TimeZone {
  /** What a wall clock shows at an instant (milliseconds since 1970). */
  wallAt(instantMs: number): WallMs;
  /**
   * The first instant at which a wall clock shows this time or a later one. So a time that is skipped is the end of the gap,
   * and of a time that comes twice it is the first.
   */
  firstInstantOf(wallMs: WallMs): number;
}

/** The time zone of a name such as `Europe/Berlin`; undefined: there is none of this name. Pure. */
export function timeZoneOf(name: string): TimeZone | undefined {
  // Temporal would take the time zone of a text such as `2026-11-23T10:00Z`, too.
  if (!/^[A-Za-z][\w+/-]*$/.test(name) || !isKnown(name)) return undefined;
  return {
    wallAt: (instantMs) => instantMs + at(instantMs, name).offsetNanoseconds / 1e6,
    firstInstantOf: (wallMs) => {
      const wall = at(wallMs, "UTC").toPlainDateTime();
      const first = wall.toZonedDateTime(name, { disambiguation: "earlier" });
      // A time that is skipped is taken for one before the gap.
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
