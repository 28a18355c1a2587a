import {
  claimLease,
  type ElectionTimes,
  mayAcquire,
  type Observation,
  observe,
  releaseLease,
  requestTimeoutMs,
} from "../engine/election.ts";
import type { Clock, Lease, LeaseClient, LeaseTerm } from "../ports.ts";
import { withTimeout } from "./with-timeout.ts";

export interface LeaseKeeperOptions {
  readonly client: LeaseClient;
  /** Identifies this instance. */
  readonly identity: string;
  readonly times: ElectionTimes;
  readonly clock: Clock;
  /** The address of this instance for hooks, `HOST:PORT`: written into the lease for the other instances. */
  readonly address?: string | undefined;
  /** A renewal had to read the lease first. */
  readonly onSlowPath: () => void;
}

/** Annotation of the lease: the address of its holder for hooks. */
const ADDRESS = "fairlead.dev/hook-address";

/** This instance's copy of the lease, and the requests that acquire, renew and release it. */
export class LeaseKeeper {
  readonly #options: LeaseKeeperOptions;
  #seen: Observation | undefined;
  #isHeld = false;
  #renewedAtMs = Number.NEGATIVE_INFINITY;
  #hasTried = false;

  constructor(options: LeaseKeeperOptions) {
    this.#options = options;
  }

  /** Acquired by this instance, and since then neither released nor observed to have another holder. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** The time before the last successful renewal was sent, on the monotonic clock. */
  get renewedAtMs(): number {
    return this.#renewedAtMs;
  }

  /** A write was sent: the lease may be ours on the server, also without a response. */
  get hasTried(): boolean {
    return this.#hasTried;
  }

  get holder(): string | undefined {
    return this.#seen?.lease.spec?.holderIdentity;
  }

  /** The address of the holder for hooks, if it is published. */
  get holderAddress(): string | undefined {
    const { metadata, spec } = this.#seen?.lease ?? {};
    if ((spec?.holderIdentity ?? "") === "") return undefined;
    return annotationsOf(metadata)[ADDRESS];
  }

  get term(): LeaseTerm | undefined {
    if (this.#seen === undefined || !this.#isHeld) return undefined;
    const { metadata, spec } = this.#seen.lease;
    return { leaseUid: metadata.uid, transitions: spec?.leaseTransitions ?? 0 };
  }

  /**
   * Acquires or renews the lease.
   *
   * @returns Whether this instance holds it now; false if another one does.
   * @throws The error of a failed request; the holder is then unchanged.
   */
  async hold(signal: AbortSignal): Promise<boolean> {
    if (await this.#renewUnread(signal)) return true;
    const { clock, identity } = this.#options;
    let found = await this.#read(signal);
    if (found === undefined) {
      if (this.#isAnothers()) return false;
      try {
        await this.#write(signal, undefined);
        return true;
      } catch (error) {
        // Another instance may have been faster; a read shows this.
        if (signal.aborted) throw signal.reason;
        found = await this.#read(signal);
        if (found === undefined) throw error;
      }
    }
    const term = this.term;
    this.#seen = observe(this.#seen, found, clock.now());
    // An instance that acquired it while we held it may have written already: we cannot continue, even if its lease has
    // expired.
    if (term !== undefined && isTaken(found, identity, term)) this.#isHeld = false;
    else if (mayAcquire(this.#seen, identity, clock.now())) {
      await this.#write(signal, found);
      return true;
    }
    return false;
  }

  /** A deleted lease stays valid for its holder, which may not have observed the deletion and recreates it. */
  #isAnothers(): boolean {
    const { clock, identity } = this.#options;
    if (this.#seen === undefined || this.#isHeld) return false;
    return !mayAcquire(this.#seen, identity, clock.now());
  }

  /**
   * Reads the lease and releases it if it is still ours.
   *
   * @throws The error of a failed request, such as a conflict; retry then.
   */
  async release(signal: AbortSignal): Promise<void> {
    const { client, clock, identity } = this.#options;
    const found = await this.#read(signal);
    if (found?.spec?.holderIdentity !== identity) return;
    const lease = { ...found, spec: releaseLease(found.spec, clock.wallClock()) };
    await this.#request(signal, (options) => client.replace(lease, options));
  }

  #read(signal: AbortSignal): Promise<Lease | undefined> {
    return this.#request(signal, (options) => this.#options.client.get(options));
  }

  /** A renewal with the resourceVersion of the local copy: one request instead of two. */
  async #renewUnread(signal: AbortSignal): Promise<boolean> {
    const { clock, times, onSlowPath } = this.#options;
    if (!this.#isHeld || this.#seen === undefined) return false;
    if (clock.now() - this.#renewedAtMs < times.leaseDurationMs) {
      try {
        await this.#write(signal, this.#seen.lease);
        return true;
      } catch {
        // A conflict, a deleted lease, a missing response: a read shows which.
        if (signal.aborted) throw signal.reason;
      }
    }
    onSlowPath();
    return false;
  }

  async #write(signal: AbortSignal, found: Lease | undefined): Promise<void> {
    const { client, clock, identity, times, address } = this.#options;
    const isRenewal = this.#isHeld && found?.spec?.holderIdentity === identity;
    const { leaseDurationMs } = times;
    const wallClock = clock.wallClock();
    const spec = claimLease({ identity, leaseDurationMs, wallClock, found: found?.spec, isRenewal });
    // Other instances count from the time when the server has it, and we from the time before it was sent, so our
    // deadline is never later than theirs.
    const sentAtMs = clock.now();
    this.#hasTried = true;
    const lease = await this.#request(signal, (options) =>
      found === undefined
        ? client.create(spec, options)
        : client.replace({ ...placed(found, address), spec }, options),
    );
    this.#seen = observe(this.#seen, lease, sentAtMs);
    this.#renewedAtMs = sentAtMs;
    this.#isHeld = true;
  }

  #request<T>(signal: AbortSignal, send: (options: { signal: AbortSignal }) => Promise<T>): Promise<T> {
    const { clock, times } = this.#options;
    return withTimeout((inner) => send({ signal: inner }), {
      clock,
      signal,
      timeoutMs: requestTimeoutMs(times.renewDeadlineMs),
    });
  }
}

/** The lease with the address of its new holder, and without that of another one. */
function placed(lease: Lease, address: string | undefined): Lease {
  const { [ADDRESS]: before, ...others } = annotationsOf(lease.metadata);
  if (before === address) return lease;
  const annotations = address === undefined ? others : { ...others, [ADDRESS]: address };
  return { ...lease, metadata: { ...lease.metadata, annotations } };
}

function annotationsOf(metadata: Lease["metadata"] | undefined): Readonly<Record<string, string>> {
  return (metadata?.["annotations"] ?? {}) as Readonly<Record<string, string>>;
}

/** Another instance holds it, or one with our name, such as a container that was started after this one. */
function isTaken(
  { metadata, spec = {} }: Lease,
  identity: string,
  { leaseUid, transitions }: LeaseTerm,
): boolean {
  const { holderIdentity = "", leaseTransitions = 0 } = spec;
  if (holderIdentity !== identity) return holderIdentity !== "";
  return metadata.uid === leaseUid && leaseTransitions !== transitions;
}
