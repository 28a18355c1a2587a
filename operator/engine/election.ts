import type { Lease, LeaseSpec } from "../ports.ts";

export interface ElectionTimes {
  /** How long a lease holds for those who see that it is not renewed. */
  readonly leaseDurationMs: number;
  /** Time after which a leader that cannot renew the Lease steps down. */
  readonly renewDeadlineMs: number;
  /** Time between two attempts. */
  readonly retryPeriodMs: number;
}

/** Spread of the time between two tries to acquire: 1 to 2.2 retry periods. */
const ACQUIRE_JITTER = 1.2;

/**
 * A lease as seen here, and since when. Only changes are observed: times of other instances are never compared with the
 * local clock, so that clocks may differ by any amount.
 */
export interface Observation {
  readonly lease: Lease;
  /** When this instance first saw the record as it is, on its own monotonic clock. */
  readonly sinceMs: number;
}

/**
 * The shortest times that make sense: a request is given 1 s, a renewal two of them, and a Lease counts in seconds.
 * With less, a moment's load of the API server ends the leader. charts/operator-values.ts has the same.
 */
const shortest: ElectionTimes = { leaseDurationMs: 3_000, renewDeadlineMs: 2_000, retryPeriodMs: 250 };

/** @throws RangeError that names the value which is too small. */
export function assertElectionTimes(times: ElectionTimes): void {
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = times;
  for (const [name, what] of Object.entries(inWords) as [keyof ElectionTimes, string][]) {
    if (!(times[name] >= shortest[name]))
      throw new RangeError(
        `Cannot elect a leader: the ${what} (${seconds(times[name])}) must be at least ${seconds(shortest[name])}`,
      );
  }
  if (!(renewDeadlineMs > ACQUIRE_JITTER * retryPeriodMs)) {
    throw new RangeError(
      `Cannot elect a leader: the renew deadline (${seconds(renewDeadlineMs)}) must be more than ` +
        `${ACQUIRE_JITTER} times the retry period (${seconds(retryPeriodMs)})`,
    );
  }
  if (!(leaseDurationMs > renewDeadlineMs)) {
    throw new RangeError(
      `Cannot elect a leader: the lease duration (${seconds(leaseDurationMs)}) must be more than ` +
        `the renew deadline (${seconds(renewDeadlineMs)})`,
    );
  }
}

const inWords = {
  retryPeriodMs: "retry period",
  renewDeadlineMs: "renew deadline",
  leaseDurationMs: "lease duration",
} as const;

/** The observation after a read or write: a record that did not change keeps the time of its first observation. */
export function observe(previous: Observation | undefined, lease: Lease, nowMs: number): Observation {
  const isSame = previous !== undefined && recordOf(previous.lease) === recordOf(lease);
  return { lease, sinceMs: isSame ? previous.sinceMs : nowMs };
}

/** Whether the lease belongs to this instance, is free, or was not renewed during its duration. */
export function mayAcquire({ lease, sinceMs }: Observation, identity: string, nowMs: number): boolean {
  const { holderIdentity = "", leaseDurationSeconds = 0 } = lease.spec ?? {};
  if (holderIdentity === "" || holderIdentity === identity) return true;
  return sinceMs + leaseDurationSeconds * 1_000 <= nowMs;
}

export interface ClaimInput {
  readonly identity: string;
  readonly leaseDurationMs: number;
  readonly wallClock: Date;
  /** The lease to acquire or renew; undefined when there is none. */
  readonly found: LeaseSpec | undefined;
  /** This instance leads by the found lease: it renews, and the term continues. */
  readonly isRenewal: boolean;
}

/** The record that takes or renews a lease. A renewal keeps term and time of acquisition; else a new term begins. */
export function claimLease({
  identity,
  leaseDurationMs,
  wallClock,
  found,
  isRenewal,
}: ClaimInput): LeaseSpec {
  const now = microTime(wallClock);
  const transitions = found?.leaseTransitions ?? 0;
  const begins = found !== undefined && !isRenewal;
  return {
    ...found,
    holderIdentity: identity,
    // Rounded up: others must never wait for less time than this instance assumes.
    leaseDurationSeconds: Math.ceil(leaseDurationMs / 1_000),
    acquireTime: (isRenewal ? found?.acquireTime : undefined) ?? now,
    renewTime: now,
    leaseTransitions: begins ? transitions + 1 : transitions,
  };
}

/** The record of a released lease: any candidate may take it at once. */
export function releaseLease(found: LeaseSpec, wallClock: Date): LeaseSpec {
  const now = microTime(wallClock);
  return { ...found, holderIdentity: "", leaseDurationSeconds: 1, acquireTime: now, renewTime: now };
}

/** How long to wait before the next attempt to acquire: `random` in [0, 1) spreads the candidates. */
export function acquireDelayMs(retryPeriodMs: number, random: number): number {
  return retryPeriodMs * (1 + ACQUIRE_JITTER * random);
}

/** Timeout of one request: half of the time of a renewal, so that a second one is possible. */
export function requestTimeoutMs(renewDeadlineMs: number): number {
  return Math.max(1_000, renewDeadlineMs / 2);
}

/** A time in MicroTime format: six digits after the point. */
export function microTime(date: Date): string {
  return date.toISOString().replace("Z", "000Z");
}

/** Identifies a record: another Lease object, or another value in the record itself, is a change. */
function recordOf({ metadata, spec = {} }: Lease): string {
  const { holderIdentity, leaseDurationSeconds, acquireTime, renewTime, leaseTransitions } = spec;
  const record = [holderIdentity, leaseDurationSeconds, acquireTime, renewTime, leaseTransitions];
  return JSON.stringify([metadata.uid, ...record]);
}

function seconds(ms: number): string {
  return `${ms / 1_000}s`;
}
