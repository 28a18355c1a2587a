import { SourceError, type SourceFailure } from "../../errors.ts";
import { isGitError } from "../git-errors.ts";
import { toProcessFailure } from "./remote-failure.ts";
import type { SourceRepositoryOptions } from "./repository-options.ts";
import type { SourceClone } from "./source-clone.ts";
import type { PollOptions, SourceHeads, Target } from "./source-heads.ts";
import type { RefWish } from "./source-wish.ts";
import type { SourceLimits } from "./tree-files.ts";

export interface FetchedCloneOptions extends Pick<SourceRepositoryOptions, "disk" | "clock" | "log"> {
  readonly open: () => Promise<SourceClone>;
  readonly heads: Pick<SourceHeads, "poll" | "recall">;
  /** A clone over these limits is repacked, or recreated. */
  readonly limits: Pick<SourceLimits, "cloneBytes" | "packs">;
  readonly stats: { rebuilds: number };
  /** Called when the clone seems damaged: a poll repairs it. */
  readonly onSuspicion: () => void;
}

export interface Poll {
  /** By the keys of the wishes. If the remote does not respond: the results of its last response. */
  readonly targets: ReadonlyMap<string, Target>;
  readonly outage: SourceFailure | undefined;
}

/** Minimum time between two recreations of a clone that could not be read. */
const RENEWAL_MS = 60_000;

/** A clone that follows its remote, and is recreated when it is damaged. One poll at a time; reads at any time. */
export class FetchedClone {
  readonly #options: FetchedCloneOptions;
  #opening: Promise<SourceClone> | undefined;
  #isSuspect = false;
  /** Once per outage: if a new clone fails too, the clone was not the cause. */
  #isRenewed = false;
  #renewedAtMs = Number.NEGATIVE_INFINITY;
  /** While the clone is being recreated, readers wait for this. */
  #renewal: Promise<void> | undefined;

  constructor(options: FetchedCloneOptions) {
    this.#options = options;
  }

  /** Never rejects. */
  async poll(wishes: ReadonlyMap<string, RefWish>, options: PollOptions = {}): Promise<Poll> {
    try {
      const clone = await this.#open();
      const targets = await this.#pollHeads(clone, wishes, options);
      this.#isRenewed = false;
      // Only after the remote has responded: otherwise the clone would be empty during an outage.
      const isKept = await this.#tidy(clone);
      return { targets: isKept ? targets : await this.#renew(clone, wishes), outage: undefined };
    } catch (error) {
      return { targets: await this.recall(wishes), outage: toProcessFailure(error).failure };
    }
  }

  /** The content of the clone, without a poll. Never rejects. */
  async recall(wishes: ReadonlyMap<string, RefWish>): Promise<ReadonlyMap<string, Target>> {
    const clone = await this.#opening?.catch(() => undefined);
    if (clone === undefined) return new Map();
    return await this.#options.heads.recall(clone, wishes).catch(() => new Map());
  }

  /**
   * Reads the clone, when it can be read.
   *
   * @throws SourceError of `work`, or `SourceUnreachable` when the clone is broken: it is being fetched again, so retry
   * later.
   */
  async use<Result>(work: (clone: SourceClone) => Promise<Result>): Promise<Result> {
    try {
      const clone = await this.#open();
      await this.#renewal;
      return await work(clone);
    } catch (error) {
      if (error instanceof SourceError) throw error;
      if (isGitError(error, "CacheBroken")) this.#suspect();
      const isKnown = isGitError(error, "CacheBroken", "Killed");
      if (!isKnown) this.#options.log.error("Cannot read a source's clone", { error: String(error) });
      throw toProcessFailure(error);
    }
  }

  /** Releases the clone, as a {@link SourceClone}. */
  async close(options: { readonly remove: boolean }): Promise<void> {
    const clone = await this.#opening?.catch(() => undefined);
    await clone?.release(options);
  }

  /** The requested revision may be too old for a new clone as well; then repeated recreation does not help. */
  #suspect(): void {
    const { clock, onSuspicion } = this.#options;
    if (clock.now() - this.#renewedAtMs < RENEWAL_MS) return;
    this.#isSuspect = true;
    onSuspicion();
  }

  async #open(): Promise<SourceClone> {
    this.#opening ??= this.#options.open();
    try {
      return await this.#opening;
    } catch (error) {
      this.#opening = undefined;
      throw error;
    }
  }

  async #pollHeads(
    clone: SourceClone,
    wishes: ReadonlyMap<string, RefWish>,
    options: PollOptions,
  ): Promise<Map<string, Target>> {
    if (this.#isSuspect) return await this.#renew(clone, wishes);
    try {
      return await this.#options.heads.poll(clone, wishes, options);
    } catch (error) {
      if (!isGitError(error, "CacheBroken") || this.#isRenewed) throw error;
      return await this.#renew(clone, wishes);
    }
  }

  /** Recreates the clone and polls. Reads wait until it is filled. */
  async #renew(clone: SourceClone, wishes: ReadonlyMap<string, RefWish>): Promise<Map<string, Target>> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#renewal = promise;
    this.#isRenewed = true;
    this.#renewedAtMs = this.#options.clock.now();
    // Also if the recreation fails: the clone is then missing or incomplete.
    this.#isSuspect = true;
    try {
      this.#options.stats.rebuilds++;
      this.#options.log.warn("Recreating the clone of a source");
      await clone.rebuild(clone.format);
      this.#isSuspect = false;
      return await this.#options.heads.poll(clone, wishes);
    } finally {
      this.#renewal = undefined;
      resolve();
    }
  }

  /** Keeps the clone small. Returns false if it is too large nevertheless. */
  async #tidy(clone: SourceClone): Promise<boolean> {
    const { limits, disk, log } = this.#options;
    const [packs, received] = await Promise.all([clone.note(), clone.size()]);
    let bytes = received;
    if (packs > limits.packs) {
      try {
        await clone.repack();
      } catch (error) {
        // A clone with many packs is only slower.
        log.warn("Cannot repack a source's clone", { error: String(error), packs });
      }
      bytes = await clone.size();
    }
    disk?.note(bytes);
    return bytes <= limits.cloneBytes;
  }
}
