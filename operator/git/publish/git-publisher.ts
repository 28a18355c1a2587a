import type { PublishOffer, PublishState } from "../../ports.ts";
import { RemoteSchedule, type RunOutcome } from "../remote-schedule.ts";
import { isUnexpected, toFailure } from "./publish-failure.ts";
import { PublishLedger } from "./publish-ledger.ts";
import { PublishRound } from "./publish-round.ts";
import type { GitPublisher, GitPublisherOptions } from "./publisher-options.ts";
import { RacePatience } from "./race-patience.ts";
import { RepositoryBranch } from "./repository-branch.ts";
import { Sweeper, type SweepState } from "./sweeper.ts";

export type { GitPublisher, GitPublisherOptions } from "./publisher-options.ts";

/** Interval between two polls of the remote while nothing changes. */
const POLL_MS = 60_000;
const backoff = { initialMs: 500, factor: 2, capMs: 24_000, jitter: 0.25 };

/** Does no I/O yet. */
export function createGitPublisher(options: GitPublisherOptions): GitPublisher {
  return new BackgroundPublisher(options);
}

/** Runs one round at a time; timers only start a round, which does what is due. */
class BackgroundPublisher implements GitPublisher {
  readonly #options: GitPublisherOptions;
  readonly #repository: RepositoryBranch;
  readonly #ledger = new PublishLedger();
  readonly #sweeper: Sweeper;
  readonly #schedule: RemoteSchedule;
  readonly #round: PublishRound;
  readonly #races: RacePatience;
  #isStarted = false;

  constructor(options: GitPublisherOptions) {
    const { clock, random, log } = options;
    this.#options = options;
    this.#repository = new RepositoryBranch(options);
    this.#sweeper = new Sweeper(options);
    this.#schedule = new RemoteSchedule({
      ...{ clock, random, backoff },
      intervalMs: () => POLL_MS,
      dueMs: () => this.#dueMs(),
      run: (reason) => this.#run(reason),
    });
    this.#round = new PublishRound({
      repository: this.#repository,
      ledger: this.#ledger,
      sweeper: this.#sweeper,
      clock,
      log,
      onPoll: () => this.#schedule.polled(),
      onLanded: () => this.#tell(),
    });
    this.#races = new RacePatience(random);
  }

  get sweepState(): SweepState {
    return this.#sweeper.state;
  }

  get stats(): GitPublisher["stats"] {
    const sinceMs = this.#ledger.oldestPendingMs;
    const { state } = this.#sweeper;
    return {
      ...this.#repository.stats,
      pending: this.#ledger.pendingCount,
      oldestPendingMs: sinceMs === undefined ? 0 : this.#options.clock.now() - sinceMs,
      failing: this.#ledger.failure?.reason,
      heldFolders: state.state === "held" ? state.gone : 0,
    };
  }

  publish(offer: PublishOffer): PublishState {
    const state = this.#ledger.publish(offer, this.#options.clock.now());
    this.#schedule.wake();
    return state;
  }

  retire(folder: string, options?: { readonly keepFiles?: boolean }): void {
    this.#ledger.retire(folder, options);
    this.#schedule.wake();
  }

  start(): void {
    this.#isStarted = true;
    this.#schedule.wake();
  }

  sweep(): void {
    this.#sweeper.ask();
    this.#schedule.wake();
  }

  async close({ flushMs }: { readonly flushMs: number }): Promise<void> {
    const { clone, clock } = this.#options;
    const late = Promise.withResolvers<void>();
    const cancel = clock.schedule(flushMs, late.resolve);
    if (flushMs > 0 && this.#isStarted) await Promise.race([this.#flush(), late.promise]);
    cancel();
    const ended = this.#schedule.close();
    clone.kill();
    await ended;
    await clone.close();
  }

  /**
   * Tries at once and ignores the backoff, because the operator is stopping. Returns when everything is published, or on
   * failure.
   */
  async #flush(): Promise<void> {
    this.#round.hurry();
    await this.#schedule.idle;
    while (this.#ledger.hasWork && !this.#schedule.isClosed) {
      if ((await this.#schedule.run()).state === "failed") return;
    }
  }

  #dueMs(): number {
    if (!this.#isStarted) return Number.POSITIVE_INFINITY;
    if (this.#round.hasPollDue) return 0;
    return this.#ledger.hasWork || this.#sweeper.isDue ? this.#round.windowMs : Number.POSITIVE_INFINITY;
  }

  async #run({ isPollDue }: { readonly isPollDue: boolean }): Promise<RunOutcome> {
    const { clock } = this.#options;
    const beganMs = clock.now();
    if (isPollDue) this.#round.requestPoll();
    try {
      const state = await this.#round.run();
      if (state === "overtaken") return { state, holdMs: this.#races.lost(clock.now() - beganMs) };
      this.#succeeded();
      return { state };
    } catch (error) {
      return this.#schedule.isClosed ? { state: "failed" } : await this.#failed(error);
    } finally {
      this.#tell();
    }
  }

  #succeeded(): void {
    if (this.#ledger.failure !== undefined) {
      this.#options.log.info("Repository accepts commits again");
      const note = "The repository accepts commits again";
      this.#options.announce?.({ type: "Normal", reason: "Published", action: "Publish", note });
    }
    this.#ledger.setFailure(undefined);
    this.#races.won();
  }

  async #failed(error: unknown): Promise<RunOutcome> {
    const { log, announce } = this.#options;
    const failure = toFailure(error);
    const isOwned = failure?.reason === "RepositoryOwned";
    // A folder of another operator is not retried until the branch changes, which the next poll detects.
    if (!isOwned) this.#round.requestPoll();
    if (await this.#round.repair(error)) return { state: "failed", holdMs: 0 };
    if (isUnexpected(error)) log.error("Publishing failed", { error });
    if (failure !== undefined) {
      if (this.#ledger.failure?.reason !== failure.reason) {
        const { reason, message: note } = failure;
        log.warn("Cannot publish", { reason, note });
        announce?.({ type: "Warning", reason, action: "Publish", note });
      }
      this.#ledger.setFailure(failure);
    }
    return { state: "failed", ...(isOwned && { holdMs: POLL_MS }) };
  }

  #tell(): void {
    const owners = this.#ledger.changed();
    if (owners.length === 0) return;
    try {
      this.#options.onChange(owners);
    } catch (error) {
      // This is not a failure of the repository, so it must not be recorded as one.
      this.#options.log.error("Cannot notify owners of a change", { error });
    }
  }
}
