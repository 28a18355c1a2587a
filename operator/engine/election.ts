import type { Lease, LeaseSpec } from "../ports.ts";

export interface ElectionTimes {
  /** How long other instances consider a lease valid that is not renewed. */
  readonly leaseDurationMs: number;
  /** Time after which a leader that cannot renew the Lease steps down. */
  readonly renewDeadlineMs: number;
  /** Time between two attempts to acquire or renew the Lease. */
  readonly retryPeriodMs: number;
}

/** Jitter of the time between two attempts to acquire the Lease: 1 to 2.2 retry periods. */
const ACQUIRE_JITTER = 1.2;

/**
 * A lease, and when this instance first observed it in this state. Times of other instances are never compared with the
 * local clock, so their clocks may differ by any amount.
 */
export interface Observation {
  readonly lease: Lease;
  /** When this instance first observed the record in this state, on its own monotonic clock. */
  readonly sinceMs: number;
}

/**
 * The minimum times: a request may take 1 s, a renewal has time for two requests, and the unit of a Lease is a second. With
 * less, a short load peak of the API server makes the leader step down. charts/operator-values.ts has the same values.
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

/** The observation after a read or write. An unchanged record keeps the time of its first observation. */
export function observe(previous: Observation | undefined, lease: Lease, nowMs: number): Observation {
  const isSame = previous !== undefined && recordOf(previous.lease) === recordOf(lease);
  return { lease, sinceMs: isSame ? previous.sinceMs : nowMs };
}

/** Whether this instance may acquire the lease: it holds the lease, the lease is free, or it has expired. */
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
  /** Whether this instance leads by the found lease: then it renews the lease, and the term continues. */
  readonly isRenewal: boolean;
}

/** Composes the record that acquires or renews a lease. A renewal keeps the term and the time of acquisition. */
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
    // Round up: other instances must not wait for less time than this instance assumes.
    leaseDurationSeconds: Math.ceil(leaseDurationMs / 1_000),
    acquireTime: (isRenewal ? found?.acquireTime : undefined) ?? now,
    renewTime: now,
    leaseTransitions: begins ? transitions + 1 : transitions,
  };
}

/** Composes the record of a released lease, which any instance may acquire immediately. */
export function releaseLease(found: LeaseSpec, wallClock: Date): LeaseSpec {
  const now = microTime(wallClock);
  return { ...found, holderIdentity: "", leaseDurationSeconds: 1, acquireTime: now, renewTime: now };
}

/** Delay before the next attempt to acquire the lease. `random` in [0, 1) is the jitter. */
export function acquireDelayMs(retryPeriodMs: number, random: number): number {
  return retryPeriodMs * (1 + ACQUIRE_JITTER * random);
}

/** Timeout of one request: half of the renew deadline, so that there is time for a second request. */
export function requestTimeoutMs(renewDeadlineMs: number): number {
  return Math.max(1_000, renewDeadlineMs / 2);
}

/** A time in MicroTime format: six digits after the decimal point. */
export function microTime(date: Date): string {
  return date.toISOString().replace("Z", "000Z");
}

/** Text that identifies a record. Another Lease object, or another value in the spec, is a change. */
function recordOf({ metadata, spec = {} }: Lease): string {
  const { holderIdentity, leaseDurationSeconds, acquireTime, renewTime, leaseTransitions } = spec;
  const record = [holderIdentity, leaseDurationSeconds, acquireTime, renewTime, leaseTransitions];
  return JSON.stringify([metadata.uid, ...record]);
}

function seconds(ms: number): string {
  return `${ms / 1_000}s`;
}
