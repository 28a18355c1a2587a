import type { PublishOffer, PublishState } from "../../ports.ts";
import { Backoff } from "../../runtime/backoff.ts";
import { isUnexpected, toFailure } from "./publish-failure.ts";
import { PublishLedger } from "./publish-ledger.ts";
import { PublishRound } from "./publish-round.ts";
import { LOOK_MS, PublishSchedule } from "./publish-schedule.ts";
import type { GitPublisher, GitPublisherOptions } from "./publisher-options.ts";
import { RacePatience } from "./race-patience.ts";
import { RepositoryBranch } from "./repository-branch.ts";
import { Sweeper, type SweepState } from "./sweeper.ts";

export type { GitPublisher, GitPublisherOptions } from "./publisher-options.ts";

/** Touches nothing yet. */
export function createGitPublisher(options: GitPublisherOptions): GitPublisher {
  return new BackgroundPublisher(options);
}

/** One round at a time; every timer only wakes it, and it does what is due. */
class BackgroundPublisher implements GitPublisher {
  readonly #options: GitPublisherOptions;
  readonly #repository: RepositoryBranch;
  readonly #ledger = new PublishLedger();
  readonly #sweeper: Sweeper;
  readonly #schedule: PublishSchedule;
  readonly #round: PublishRound;
  readonly #failures: Backoff;
  readonly #races: RacePatience;
  #work: Promise<"done" | "overtaken" | "failed"> | undefined;

  constructor(options: GitPublisherOptions) {
    const { clock, random, log } = options;
    this.#options = options;
    this.#repository = new RepositoryBranch(options);
    this.#sweeper = new Sweeper(options);
    this.#schedule = new PublishSchedule({
      clock,
      random,
      begin: () => void this.#begin(),
      look: () => this.#look(),
    });
    this.#round = new PublishRound({
      repository: this.#repository,
      ledger: this.#ledger,
      sweeper: this.#sweeper,
      clock,
      log,
      onLook: () => this.#schedule.looked(),
      onLanded: () => this.#tell(),
    });
    this.#failures = new Backoff({ initialMs: 500, factor: 2, capMs: 24_000, jitter: 0.25 }, random);
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
    this.#wakeForWork();
    return state;
  }

  retire(folder: string, options?: { readonly keepFiles?: boolean }): void {
    this.#ledger.retire(folder, options);
    this.#wakeForWork();
  }

  start(): void {
    this.#schedule.open();
    this.#schedule.wake(0);
  }

  sweep(): void {
    this.#sweeper.ask();
    this.#wakeForWork();
  }

  async close({ flushMs }: { readonly flushMs: number }): Promise<void> {
    const late = Promise.withResolvers<void>();
    const cancel = this.#options.clock.schedule(flushMs, late.resolve);
    if (flushMs > 0 && this.#schedule.isOpen) await Promise.race([this.#flush(), late.promise]);
    cancel();
    this.#schedule.close();
    this.#repository.kill();
    await this.#work;
    await this.#repository.close();
  }

  /** Tries at once, whatever backoff says, for there will be no later: until it is done, or it failed. */
  async #flush(): Promise<void> {
    this.#round.hurry();
    await this.#work;
    while (this.#ledger.hasWork && this.#schedule.isOpen) {
      if ((await this.#begin()) === "failed") return;
    }
  }

  #look(): void {
    this.#round.askLook();
    if (this.#work === undefined) this.#schedule.wake(0);
  }

  #wakeForWork(): void {
    // A round that is under way sees to what comes next when it ends.
    if (this.#work !== undefined) return;
    if (this.#round.isLookDue) this.#schedule.wake(0);
    else if (this.#ledger.hasWork || this.#sweeper.isDue) this.#schedule.wake(this.#round.windowMs);
  }

  #begin(): Promise<"done" | "overtaken" | "failed"> {
    this.#schedule.clear();
    this.#work ??= this.#run().then((outcome) => {
      this.#work = undefined;
      this.#tell();
      this.#wakeForWork();
      return outcome;
    });
    return this.#work;
  }

  async #run(): Promise<"done" | "overtaken" | "failed"> {
    const { clock } = this.#options;
    const beganMs = clock.now();
    try {
      const outcome = await this.#round.run();
      if (outcome === "done") this.#succeeded();
      else this.#schedule.holdOff(this.#races.lost(clock.now() - beganMs));
      return outcome;
    } catch (error) {
      if (this.#schedule.isOpen) await this.#failed(error);
      return "failed";
    }
  }

  #succeeded(): void {
    if (this.#ledger.failure !== undefined) {
      const [type, reason, action, note] = [
        "Normal",
        "Published",
        "Publish",
        "The repository accepts commits again",
      ] as const;
      this.#options.log.info("Repository accepts commits again");
      this.#options.announce?.({ type, reason, action, note });
    }
    this.#ledger.setFailure(undefined);
    this.#failures.reset();
    this.#races.won();
    this.#schedule.holdOff(0);
  }

  async #failed(error: unknown): Promise<void> {
    const { log, clock, announce } = this.#options;
    const failure = toFailure(error);
    const isOwned = failure?.reason === "RepositoryOwned";
    // A folder of another operator is not retried before the branch changes, which the next poll finds.
    if (!isOwned) this.#round.askLook();
    if (await this.#round.repair(error)) return;
    if (isUnexpected(error)) log.error("Publishing failed", { error });
    if (failure !== undefined) {
      if (this.#ledger.failure?.reason !== failure.reason) {
        const { reason, message: note } = failure;
        log.warn("Cannot publish", { reason, note });
        announce?.({ type: "Warning", reason, action: "Publish", note });
      }
      this.#ledger.setFailure(failure);
    }
    this.#schedule.holdOff(isOwned ? LOOK_MS : this.#failures.next(clock.now()));
  }

  #tell(): void {
    const owners = this.#ledger.changed();
    if (owners.length === 0) return;
    try {
      this.#options.onChange(owners);
    } catch (error) {
      // Not a fault of the repository, so it must not count as one.
      this.#options.log.error("Cannot notify owners of a change", { error });
    }
  }
}
