import { acquireDelayMs, assertElectionTimes, type ElectionTimes } from "../engine/election.ts";
import { NotLeadingError } from "../errors.ts";
import type { Clock, Fence, LeaseClient, LeaseTerm, Logger, Random } from "../ports.ts";
import type { Election, LeaderPlace, StoppedLeading } from "./election.ts";
import { LeaseKeeper } from "./lease-keeper.ts";
import { sleep } from "./sleep.ts";

/** Pause between two attempts to release: a conflict ends when the lease is read again. */
const RELEASE_RETRY_MS = 200;

/** If the last renewal of a leader is older than its lease by more than this, it is stuck. */
const STUCK_TOLERANCE_MS = 20_000;

export interface LeaderObserver {
  /** Whether this instance leads, whenever it changes. */
  leading(isLeading: boolean): void;
  /** A renewal needed to read the lease first. */
  renewedSlowly(): void;
}

export interface LeaderElectorOptions {
  readonly client: LeaseClient;
  /** Inside a cluster the pod's name, elsewhere host name and a UUID. */
  readonly identity: string;
  /** The address of this instance for hooks, `HOST:PORT`; undefined: there is none that others can reach. */
  readonly address?: string | undefined;
  readonly times: ElectionTimes;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly observer?: LeaderObserver;
  /** Called once: the lease was lost (end the process, write nothing more) or released by `stop`. */
  readonly onStoppedLeading?: (why: StoppedLeading) => void;
}

/**
 * Leader election with a Lease, as in client-go. Leads at most once: an instance that lost the lease has to restart.
 */
export class LeaderElector implements Election {
  readonly fence: Fence = { check: () => this.#check() };
  readonly tried: Promise<void>;
  readonly elected: Promise<void>;
  readonly #options: LeaderElectorOptions;
  readonly #keeper: LeaseKeeper;
  readonly #firstTry = Promise.withResolvers<void>();
  readonly #becameLeader = Promise.withResolvers<void>();
  /** Ends the attempts to acquire, or the renewals. */
  readonly #stopping = new AbortController();
  #state: "candidate" | "leading" | "ended" = "candidate";
  #running: Promise<void> | undefined;
  #stopped: Promise<void> | undefined;

  /** @throws RangeError if the times are inconsistent or the identity is empty. */
  constructor(options: LeaderElectorOptions) {
    assertElectionTimes(options.times);
    if (options.identity === "")
      throw new RangeError("Cannot elect a leader: the identity must not be empty");
    this.#options = options;
    const { client, identity, address, times, clock } = options;
    const onSlowPath = (): void => options.observer?.renewedSlowly();
    this.#keeper = new LeaseKeeper({ client, identity, address, times, clock, onSlowPath });
    this.tried = this.#firstTry.promise;
    this.elected = this.#becameLeader.promise;
  }

  /** Changes without an event: false when the last renewal is as old as the renew deadline. */
  get isLeading(): boolean {
    const { clock, times } = this.#options;
    const ageMs = clock.now() - this.#keeper.renewedAtMs;
    return this.#state === "leading" && this.#keeper.isHeld && ageMs < times.renewDeadlineMs;
  }

  get term(): LeaseTerm | undefined {
    return this.#state === "leading" ? this.#keeper.term : undefined;
  }

  get leader(): LeaderPlace {
    if (this.isLeading) return "self";
    const { holder, holderAddress: address } = this.#keeper;
    return address === undefined || holder === this.#options.identity ? undefined : { address };
  }

  start(): void {
    this.#running ??= this.#run();
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  stopRenewing(): void {
    if (this.#state !== "ended") this.#end("stopped");
    this.#stopping.abort(new Error("Leader election was stopped"));
  }

  checkRenewal(): void {
    const { clock, times } = this.#options;
    const ageMs = clock.now() - this.#keeper.renewedAtMs;
    if (this.#state === "leading" && ageMs > times.leaseDurationMs + STUCK_TOLERANCE_MS) {
      throw new Error(`Cannot renew the lease: the last renewal was ${Math.round(ageMs / 1_000)} s ago`);
    }
  }

  #check(): void {
    if (!this.isLeading) throw new NotLeadingError();
  }

  async #run(): Promise<void> {
    const { log, observer, identity } = this.#options;
    const { signal } = this.#stopping;
    await this.#acquire(signal);
    if (signal.aborted) return;
    this.#state = "leading";
    observer?.leading(true);
    log.info("Became leader", { identity, term: this.term });
    this.#becameLeader.resolve();
    // Resolved afterwards, so that a caller that waits for both first receives the leadership.
    this.#firstTry.resolve();
    await this.#keepRenewing(signal);
    if (!signal.aborted) this.#end("lost");
  }

  async #acquire(signal: AbortSignal): Promise<void> {
    const { times, random, clock, log } = this.#options;
    let rival: string | undefined;
    while (!signal.aborted) {
      const result = await this.#try(signal);
      if (result === "held") return;
      this.#firstTry.resolve();
      if (result === "taken" && rival !== this.#keeper.holder) {
        rival = this.#keeper.holder;
        log.info("Another instance leads", { holder: rival });
      }
      await sleep(acquireDelayMs(times.retryPeriodMs, random()), { clock, signal });
    }
  }

  /** Renews a retry period after the last renewal was sent. Returns when the lease is lost or the elector stops. */
  async #keepRenewing(signal: AbortSignal): Promise<void> {
    const { times, clock } = this.#options;
    do {
      await sleep(this.#keeper.renewedAtMs + times.retryPeriodMs - clock.now(), { clock, signal });
    } while (!signal.aborted && (await this.#renewBeforeDeadline(signal)));
  }

  /** Retries until it succeeds or the renew deadline, counted from the first attempt, has passed. */
  async #renewBeforeDeadline(stopping: AbortSignal): Promise<boolean> {
    const { times, clock, log } = this.#options;
    const deadline = new AbortController();
    const { signal } = deadline;
    const giveUp = (): void => deadline.abort(stopping.reason);
    const cancel = clock.schedule(times.renewDeadlineMs, () =>
      deadline.abort(new Error("Renew deadline is over")),
    );
    stopping.addEventListener("abort", giveUp, { once: true });
    try {
      while (!signal.aborted && !stopping.aborted) {
        const nextMs = clock.now() + times.retryPeriodMs;
        const result = await this.#try(signal);
        if (result !== "failed") return result === "held";
        await sleep(nextMs - clock.now(), { clock, signal });
      }
      return false;
    } finally {
      if (signal.aborted && !stopping.aborted) log.error("Cannot renew the lease before the deadline");
      cancel();
      stopping.removeEventListener("abort", giveUp);
    }
  }

  async #try(signal: AbortSignal): Promise<"held" | "taken" | "failed"> {
    try {
      return (await this.#keeper.hold(signal)) ? "held" : "taken";
    } catch (error) {
      if (!signal.aborted) this.#options.log.warn("Cannot get or renew the lease", { error });
      return "failed";
    }
  }

  async #stop(): Promise<void> {
    const hasEnded = this.#state === "ended";
    this.stopRenewing();
    await this.#running;
    if (!hasEnded && this.#keeper.hasTried) await this.#release();
  }

  #end(why: StoppedLeading): void {
    const { log, observer, onStoppedLeading } = this.#options;
    if (this.#state === "leading") observer?.leading(false);
    this.#state = "ended";
    if (why === "lost") log.error("Lost the lease", { holder: this.#keeper.holder });
    onStoppedLeading?.(why);
  }

  /** Retries until the renew deadline: if it fails, other instances have to wait until the lease expires. */
  async #release(): Promise<void> {
    const { times, clock, log } = this.#options;
    const deadline = new AbortController();
    const { signal } = deadline;
    const cancel = clock.schedule(times.renewDeadlineMs, () =>
      deadline.abort(new Error("Renew deadline is over")),
    );
    while (!signal.aborted) {
      try {
        await this.#keeper.release(signal);
        log.info("Released the lease");
        break;
      } catch (error) {
        log.warn("Cannot release the lease", { error });
        await sleep(RELEASE_RETRY_MS, { clock, signal });
      }
    }
    cancel();
  }
}
