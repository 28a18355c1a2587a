import type { Clock, Logger } from "../../ports.ts";
import { TokenBuckets } from "../../runtime/token-bucket.ts";
import { isGitError, isKilled } from "../git-errors.ts";
import { isFaultOfClone } from "./publish-failure.ts";
import type { PublishLedger } from "./publish-ledger.ts";
import { publishWindowMs } from "./publish-window.ts";
import type { RepositoryBranch } from "./repository-branch.ts";
import type { Sweeper } from "./sweeper.ts";

/** Rate limit of commits per folder: a folder that changes all the time must not delay the commits of others. */
const commits = { burst: 10, intervalMs: 2_000 };

export interface PublishRoundOptions {
  readonly repository: Pick<
    RepositoryBranch,
    "view" | "format" | "poll" | "isOurs" | "assertOurs" | "land" | "tidy" | "rebuild"
  >;
  readonly ledger: PublishLedger;
  readonly sweeper: Pick<Sweeper, "isDue" | "plan" | "done" | "branchChanged">;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called after each poll of the remote. */
  readonly onPoll: () => void;
  /** Called when a commit is on the branch and recorded in the ledger. */
  readonly onLanded: () => void;
}

/** One round of the publisher: polls the remote if that is due, then commits everything pending at once. */
export class PublishRound {
  readonly #options: PublishRoundOptions;
  readonly #rate = new TokenBuckets(commits);
  #isInHurry = false;
  #pollDue = true;
  #tidyDue = false;
  #last = { batch: 0, atMs: 0, tookMs: 0 };
  /** The clone was recreated since the last success. */
  #renewed = false;

  constructor(options: PublishRoundOptions) {
    this.#options = options;
  }

  get hasPollDue(): boolean {
    return this.#pollDue;
  }

  /** Makes the next round poll the remote first. */
  requestPoll(): void {
    this.#pollDue = true;
  }

  /** Disables delays, because the operator is stopping. */
  hurry(): void {
    this.#isInHurry = true;
  }

  /** How long to gather changes before the next round. */
  get windowMs(): number {
    const { batch, atMs, tookMs } = this.#last;
    const sinceMs = this.#options.clock.now() - atMs;
    return Math.max(publishWindowMs({ lastBatch: batch, sinceMs, tookMs }), this.#putOffMs());
  }

  /** Delay while everything to be committed is rate-limited. */
  #putOffMs(): number {
    const { ledger, sweeper, clock } = this.#options;
    // During a failure every attempt counts: owners wait for the report of recovery, too.
    if (this.#isInHurry || ledger.failure !== undefined || sweeper.isDue || ledger.retired().size > 0)
      return 0;
    const nowMs = clock.now();
    let shortestMs = Number.POSITIVE_INFINITY;
    for (const folder of ledger.pendingFolders()) {
      shortestMs = Math.min(shortestMs, this.#rate.waitMs(folder, nowMs));
      if (shortestMs === 0) break;
    }
    return Number.isFinite(shortestMs) ? shortestMs : 0;
  }

  /**
   * @returns `overtaken` when another writer pushed first; the round should be repeated.
   * @throws Errors of {@link RepositoryBranch}.
   */
  async run(): Promise<"done" | "overtaken"> {
    if (this.#pollDue) await this.#poll();
    const { repository } = this.#options;
    const hasLanded = repository.isOurs && (await this.#commit());
    // Never between a poll and a push: a longer gap makes it more likely that another writer pushes first.
    await this.#tidy();
    repository.assertOurs();
    if (!hasLanded) return "overtaken";
    this.#renewed = false;
    return "done";
  }

  /**
   * Recreates a clone that seems damaged.
   *
   * @returns Whether to retry at once without reporting the error: true for the first time.
   */
  async repair(error: unknown): Promise<boolean> {
    if (!isFaultOfClone(error)) return false;
    const { repository, log } = this.#options;
    log.warn("Recreating the clone", { reason: error.message });
    const isFirst = !this.#renewed;
    this.#renewed = true;
    const other = repository.format === "sha1" ? "sha256" : "sha1";
    try {
      await repository.rebuild(isGitError(error, "ObjectFormat") ? other : repository.format);
      return isFirst;
    } catch (cause) {
      log.error("Cannot recreate the clone", { error: cause });
      return false;
    }
  }

  async #poll(): Promise<void> {
    const { repository, ledger, sweeper, onPoll } = this.#options;
    const view = await repository.poll();
    this.#pollDue = false;
    onPoll();
    if (view === undefined) return;
    ledger.setBranch(view, repository.format);
    sweeper.branchChanged();
    // Commits of other writers are fetched into the clone as well, even if the operator rarely commits.
    this.#tidyDue = true;
  }

  async #commit(): Promise<boolean> {
    const { repository, ledger, sweeper, clock, log, onLanded } = this.#options;
    if (repository.view === undefined) return false;
    const write = ledger.pending();
    const swept = sweeper.plan(repository.view, (folder) => ledger.has(folder));
    const remove = new Map([...swept.map((folder) => [folder, folder] as const), ...ledger.retired()]);
    const batch = write.length + remove.size;
    if (batch === 0 || this.#putOffMs() > 0) return true;
    const [before, nowMs] = [this.#last, clock.now()];
    this.#last = { batch, atMs: nowMs, tookMs: 0 };
    const commit = await repository.land({ write, remove, usesApproval: swept.length > 0 });
    if (commit === undefined) {
      this.#pollDue = true;
      return false;
    }
    this.#last.tookMs = clock.now() - nowMs;
    ledger.recordPush(write, remove.keys(), commit);
    for (const { folder } of write) this.#rate.reserve(folder, nowMs);
    for (const folder of remove.keys()) this.#rate.forget(folder);
    // A batch of only rate-limited folders does not extend the window.
    const isRateLimited = write.every(({ folder }) => this.#rate.waitMs(folder, nowMs) > 0);
    if (isRateLimited && remove.size === 0) this.#last = before;
    if (swept.length > 0) sweeper.done();
    log.debug("Commit is on the branch", { commit, folders: write.length, removed: remove.size });
    this.#tidyDue = true;
    onLanded();
    return true;
  }

  async #tidy(): Promise<void> {
    const { repository, log } = this.#options;
    if (!this.#tidyDue) return;
    this.#tidyDue = false;
    try {
      await repository.tidy();
    } catch (error) {
      // Git was killed, perhaps together with the process that runs it: the clone is not damaged.
      if (isKilled(error)) throw error;
      log.info("Recreating the clone", { reason: (error as Error).message });
      await repository.rebuild(repository.format);
      this.#pollDue = true;
    }
  }
}
