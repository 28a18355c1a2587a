import { NotLeadingError } from "../errors.ts";
import type {
  Clock,
  Fence,
  FolderClaim,
  LeaseTerm,
  Logger,
  Publisher,
  PublishOffer,
  PublishState,
  Random,
} from "../ports.ts";
import { Backoff } from "../runtime/backoff.ts";
import {
  CacheBrokenError,
  ObjectFormatError,
  PushRefusedError,
  RepositoryOwnedError,
  RepositoryUnreachableError,
} from "./git-errors.ts";
import { openRepository } from "./open-repository.ts";
import type { RootOwner } from "./owner-file.ts";
import { PublishLedger } from "./publish-ledger.ts";
import { publishWindowMs } from "./publish-window.ts";
import type { GitStats, RepositoryBranch } from "./repository-branch.ts";
import { Sweeper, type SweepState } from "./sweeper.ts";

export interface GitPublisherOptions {
  /** Absolute path, `file://`, `https://`, `ssh://` or `user@host:path`. */
  readonly repository: string;
  readonly branch: string;
  /** Folder in the repository, without slashes at its ends; empty for the repository itself. */
  readonly root: string;
  /** Folder with the keys of a Flux git Secret; undefined where none are needed. */
  readonly credentialsDirectory: string | undefined;
  /** Where clones are kept; everything below it can be deleted at any time. */
  readonly cacheDirectory: string;
  /** Who may write below the root: us. */
  readonly owner: RootOwner;
  /** Our version, for the commit trailer. */
  readonly version: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly fence: Fence;
  /** The fencing term; undefined where nobody elects a leader. */
  readonly term: () => LeaseTerm | undefined;
  /** Reads the Lease: do we really hold it? Asked when a commit of a later leader is found. */
  readonly confirmLeadership: () => Promise<boolean>;
  /** What is known of the resource behind a folder. */
  readonly claimOf: (folder: string) => FolderClaim;
  /** The answers for these owners are other ones than they were told. */
  readonly onChange: (owners: readonly PublishOffer["owner"][]) => void;
  /** The operator's environment, of which git gets PATH and the proxies. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** A git process that is silent for so long is killed. @default 60_000 */
  readonly timeoutMs?: number;
}

export interface GitPublisher extends Publisher {
  /** Begins to look at the remote. Until then, and until it answers, offers are pending or as their status says. */
  start(): void;
  /** All stores are filled: folders whose resources are gone may go. */
  sweep(): void;
  /** Commits and pushes what is pending, for at most `flushMs`, then ends every git process. */
  close(options: { readonly flushMs: number }): Promise<void>;
  readonly sweepState: SweepState;
  readonly stats: Readonly<GitStats> & { readonly pending: number };
}

/** Between two looks at the remote when nothing happens; chance makes it 5 % shorter or longer. */
const LOOK_MS = 60_000;

/** @throws RemoteUrlError for a repository that we do not speak to. */
export function createGitPublisher(options: GitPublisherOptions): GitPublisher {
  return new BackgroundPublisher(options);
}

/** One background task at a time; every timer only wakes it, and it does what is due. */
class BackgroundPublisher implements GitPublisher {
  readonly #options: GitPublisherOptions;
  readonly #repository: RepositoryBranch;
  readonly #ledger = new PublishLedger();
  readonly #sweeper: Sweeper;
  readonly #failures: Backoff;
  readonly #races: Backoff;
  #started = false;
  #closing = false;
  #work: Promise<void> | undefined;
  #lookDue = true;
  #cancelWake: (() => void) | undefined;
  #wakeAtMs = 0;
  #notBeforeMs = 0;
  #cancelLook: (() => void) | undefined;
  #last = { batch: 0, atMs: 0 };
  /** The clone was made anew since the last success. */
  #rebuilt = false;
  #outcome: "done" | "overtaken" | "failed" = "done";

  constructor(options: GitPublisherOptions) {
    this.#options = options;
    this.#repository = openRepository(options);
    this.#sweeper = new Sweeper(options);
    this.#failures = new Backoff({ initialMs: 500, factor: 2, capMs: 24_000, jitter: 0.25 }, options.random);
    // Who waits long after losing a race loses the next one too: enough to part two that move in step.
    this.#races = new Backoff({ initialMs: 5, factor: 2, capMs: 160, jitter: 1 }, options.random);
  }

  get sweepState(): SweepState {
    return this.#sweeper.state;
  }

  get stats(): GitStats & { readonly pending: number } {
    return { ...this.#repository.stats, pending: this.#ledger.pendingCount };
  }

  publish(offer: PublishOffer): PublishState {
    const state = this.#ledger.publish(offer, this.#options.clock.now());
    if (this.#ledger.hasWork) this.#wake(this.#windowMs());
    return state;
  }

  retire(folder: string): void {
    this.#ledger.retire(folder);
    if (this.#ledger.hasWork) this.#wake(this.#windowMs());
  }

  start(): void {
    this.#started = true;
    this.#wake(0);
  }

  sweep(): void {
    this.#sweeper.ask();
    this.#wake(0);
  }

  async close({ flushMs }: { readonly flushMs: number }): Promise<void> {
    this.#cancelLook?.();
    const { clock } = this.#options;
    const late = Promise.withResolvers<void>();
    const cancel = clock.schedule(flushMs, late.resolve);
    if (flushMs > 0 && this.#started) await Promise.race([this.#flush(), late.promise]);
    this.#closing = true;
    cancel();
    this.#cancelWake?.();
    this.#repository.kill();
    await this.#work;
    await this.#repository.close();
  }

  /** Tries at once, whatever backoff says, for there will be no later: until it is done, or it failed. */
  async #flush(): Promise<void> {
    await this.#work;
    do {
      if (!this.#ledger.hasWork || this.#closing) return;
      this.#cancelWake?.();
      this.#begin();
      await this.#work;
    } while (this.#outcome !== "failed");
  }

  #windowMs(): number {
    return publishWindowMs({
      lastBatch: this.#last.batch,
      sinceMs: this.#options.clock.now() - this.#last.atMs,
    });
  }

  /** Sees to it that the work begins in `delayMs` at the latest, unless a failure makes it wait longer. */
  #wake(delayMs: number): void {
    if (!this.#started || this.#closing || this.#work !== undefined) return;
    const { clock } = this.#options;
    const atMs = Math.max(clock.now() + delayMs, this.#notBeforeMs);
    if (this.#cancelWake !== undefined && this.#wakeAtMs <= atMs) return;
    this.#cancelWake?.();
    this.#wakeAtMs = atMs;
    this.#cancelWake = clock.schedule(atMs - clock.now(), () => this.#begin());
  }

  #begin(): void {
    this.#cancelWake = undefined;
    this.#work ??= this.#round().then(() => {
      this.#work = undefined;
      this.#tell();
      if (this.#lookDue) this.#wake(0);
      else if (this.#ledger.hasWork || this.#sweeper.isDue) this.#wake(this.#windowMs());
    });
  }

  #tell(): void {
    const owners = this.#ledger.changed();
    if (owners.length === 0) return;
    try {
      this.#options.onChange(owners);
    } catch (error) {
      // Not a fault of the repository, so it must not count as one.
      this.#options.log.error("Cannot tell owners of a change", { error });
    }
  }

  async #round(): Promise<void> {
    try {
      if (this.#lookDue) await this.#look();
      this.#repository.assertOurs();
      this.#outcome = (await this.#commit()) ? "done" : "overtaken";
      if (this.#outcome === "done") this.#succeeded();
    } catch (error) {
      this.#outcome = "failed";
      if (!this.#closing) await this.#failed(error);
    }
  }

  async #look(): Promise<void> {
    const view = await this.#repository.look();
    this.#lookDue = false;
    this.#scheduleLook();
    if (view === undefined) return;
    this.#ledger.setBranch(view, this.#repository.format);
    this.#sweeper.branchChanged();
  }

  /** @returns Whether nothing stands in the way: what was to be committed is on the branch. */
  async #commit(): Promise<boolean> {
    const { view } = this.#repository;
    if (view === undefined) return false;
    const write = this.#ledger.pending();
    const swept = this.#sweeper.plan(view, (folder) => this.#ledger.has(folder));
    const remove = new Map([...swept.map((folder) => [folder, folder] as const), ...this.#ledger.retired()]);
    if (write.length + remove.size === 0) return true;
    this.#last = { batch: write.length + remove.size, atMs: this.#options.clock.now() };
    const usesApproval = swept.length > 0;
    const commit = await this.#repository.land({ write, remove, usesApproval });
    if (commit === undefined) {
      this.#lookDue = true;
      this.#delay(this.#races);
      return false;
    }
    this.#ledger.landed(write, remove.keys(), commit);
    if (swept.length > 0) this.#sweeper.done();
    this.#tell();
    this.#options.log.debug("Commit is on the branch", {
      commit,
      folders: write.length,
      removed: remove.size,
    });
    await this.#tidy();
    return true;
  }

  async #tidy(): Promise<void> {
    try {
      await this.#repository.tidy();
    } catch (error) {
      this.#options.log.info("Clone is made anew", { reason: (error as Error).message });
      await this.#repository.rebuild(this.#repository.format);
      this.#lookDue = true;
    }
  }

  #succeeded(): void {
    if (this.#ledger.failure !== undefined) this.#options.log.info("Repository takes commits again");
    this.#ledger.setFailure(undefined);
    this.#rebuilt = false;
    this.#failures.reset();
    this.#races.reset();
    this.#notBeforeMs = 0;
  }

  async #failed(error: unknown): Promise<void> {
    if (error instanceof RepositoryOwnedError) {
      // No use in trying before the branch changes: the next look will tell.
      this.#fail({ reason: "RepositoryOwned", message: error.message });
      this.#notBeforeMs = this.#options.clock.now() + LOOK_MS;
      return;
    }
    this.#lookDue = true;
    if (isFaultOfClone(error) && (await this.#rebuild(error))) return;
    if (error instanceof PushRefusedError) {
      this.#repository.stats.refused++;
      this.#fail({ reason: "PushRefused", message: error.message });
    } else if (!(error instanceof NotLeadingError)) {
      const isKnown = isFaultOfClone(error) || error instanceof RepositoryUnreachableError;
      if (!isKnown) this.#options.log.error("Publishing failed", { error });
      const message = error instanceof Error ? error.message : String(error);
      this.#fail({ reason: "RepositoryUnreachable", message });
    }
    this.#delay(this.#failures);
  }

  /** @returns Whether it is worth trying again at once, without telling anybody: the first time it is. */
  async #rebuild(error: CacheBrokenError | ObjectFormatError): Promise<boolean> {
    this.#options.log.warn("Clone is made anew", { reason: error.message });
    const isFirst = !this.#rebuilt;
    this.#rebuilt = true;
    const { format } = this.#repository;
    try {
      await this.#repository.rebuild(
        error instanceof ObjectFormatError ? (format === "sha1" ? "sha256" : "sha1") : format,
      );
      return isFirst;
    } catch {
      return false;
    }
  }

  #fail(failure: {
    reason: "PushRefused" | "RepositoryUnreachable" | "RepositoryOwned";
    message: string;
  }): void {
    if (this.#ledger.failure?.reason !== failure.reason) this.#options.log.warn("Cannot publish", failure);
    this.#ledger.setFailure(failure);
  }

  #delay(backoff: Backoff): void {
    const nowMs = this.#options.clock.now();
    this.#notBeforeMs = nowMs + backoff.next(nowMs);
  }

  #scheduleLook(): void {
    this.#cancelLook?.();
    const delayMs = LOOK_MS * (0.95 + 0.1 * this.#options.random());
    this.#cancelLook = this.#options.clock.schedule(delayMs, () => {
      this.#lookDue = true;
      this.#wake(0);
    });
  }
}

function isFaultOfClone(error: unknown): error is CacheBrokenError | ObjectFormatError {
  return error instanceof CacheBrokenError || error instanceof ObjectFormatError;
}
