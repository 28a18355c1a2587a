import { createHash } from "node:crypto";
import { SourceError, type SourceFailure } from "../../errors.ts";
import type { Clock } from "../../ports.ts";
import { TimeSlice } from "../../runtime/time-slice.ts";
import { TokenBuckets } from "../../runtime/token-bucket.ts";
import { GitError } from "../git-errors.ts";
import { namesIn } from "../remote-refs.ts";
import { fetchCommits, fetchRefs } from "./fetch-refs.ts";
import { noCommit, notThere } from "./not-found.ts";
import type { SourceClone } from "./source-clone.ts";
import type { SourceRemote } from "./source-remote.ts";
import { onlyRefOf, type RefWish } from "./source-wish.ts";
import { TagChoices } from "./tag-choices.ts";
import type { SourceLimits } from "./tree-files.ts";

export interface PollOptions {
  /** The full name of the ref that a hook reported as pushed. */
  readonly pushed?: string | undefined;
}

/** The commit that a ref names, or the reason why there is none. */
export type Target = { readonly commit: string } | { readonly failure: SourceFailure };

export interface SourceHeadsOptions {
  readonly remote: Pick<SourceRemote, "ask" | "fetch">;
  readonly limits: SourceLimits;
  readonly clock: Clock;
  readonly stats: { polls: number; fetches: number };
}

type Wishes = ReadonlyMap<string, RefWish>;

/** With more names than this, refs are not listed one by one. */
const PATTERNS = 500;
/** Rate limit of fetches of the whole history for one commit that is not found. */
const searches = { burst: 1, intervalMs: 600_000 };

/** The objects that the wanted refs of one remote name, in a clone that has them. One poll at a time. */
export class SourceHeads {
  readonly #options: SourceHeadsOptions;
  /** By commit. */
  readonly #searches = new TokenBuckets(searches);

  readonly #tags: TagChoices;

  constructor(options: SourceHeadsOptions) {
    this.#options = options;
    this.#tags = new TagChoices(options.clock);
  }

  /**
   * Polls the remote, and fetches missing objects. If the only wanted ref was pushed, it is fetched without a poll before.
   *
   * @returns By the keys of the wishes.
   * @throws SourceError when the remote is not reachable, GitError `CacheBroken`
   */
  async poll(clone: SourceClone, wishes: Wishes, { pushed }: PollOptions = {}): Promise<Map<string, Target>> {
    const targets = new Map<string, Target>();
    const fetched = await this.#fetchPushed(clone, wishes, pushed);
    const names = fetched ?? (await this.#askFor(clone, wishes, targets));
    if (names.size === 0 && targets.size === 0) await assertFormat(clone, idsIn(wishes));
    try {
      const failures = await this.#fetchNames(clone, fetched === undefined ? names : new Map());
      await this.#fetchCommits(clone, wishes, targets);
      const keys = [...names].map(([key, { ref }]) => ({ key, ref }));
      const commits = await clone.reader.info(keys.map(({ ref }) => `${ourNameOf(ref)}^{commit}`));
      for (const [index, { key, ref }] of keys.entries()) {
        const failure = failures.get(ref);
        targets.set(key, failure === undefined ? targetOf(ref, commits[index]?.id) : { failure });
      }
      return targets;
    } catch (error) {
      // The remote had just responded.
      if (names.size === 0 || !isUnexplained(error)) throw error;
      throw new GitError("CacheBroken", error.message, { cause: error });
    }
  }

  /** The heads in the clone: where the refs pointed at the last fetch. */
  async recall(clone: SourceClone, wishes: Wishes): Promise<Map<string, Target>> {
    const targets = new Map<string, Target>();
    for (const [key, wish] of wishes) {
      if (wish.kind === "semver") continue;
      const name = wish.kind === "commit" ? wish.id : ourNameOf(wish.ref);
      const [object] = await clone.reader.info([`${name}^{commit}`]);
      const isIt = wish.kind === "ref" || object?.id === wish.id;
      if (object !== undefined && isIt) targets.set(key, { commit: object.id });
    }
    return targets;
  }

  /** The ref on the remote for each wish, and the object that it points to there. */
  async #askFor(
    clone: SourceClone,
    wishes: Wishes,
    targets: Map<string, Target>,
  ): Promise<Map<string, { readonly ref: string; readonly id: string }>> {
    const patterns = new Set<string>();
    for (const wish of wishes.values()) {
      if (wish.kind === "ref") patterns.add(wish.ref);
      else if (wish.kind === "semver") patterns.add("refs/tags/*");
    }
    const names = new Map<string, { readonly ref: string; readonly id: string }>();
    if (patterns.size === 0) return names;
    this.#options.stats.polls++;
    const refs = await this.#options.remote.ask(clone, patterns.size > PATTERNS ? [] : [...patterns]);
    await assertFormat(clone, refs.ids.values());
    const missing: [key: string, wish: Exclude<RefWish, { kind: "commit" }>][] = [];
    for (const [key, wish] of wishes) {
      if (wish.kind === "commit") continue;
      const ref = wish.kind === "ref" ? wish.ref : await this.#tags.choose(refs, wish.range);
      const id = ref === undefined ? undefined : refs.ids.get(ref);
      if (ref !== undefined && id !== undefined) names.set(key, { ref, id });
      else missing.push([key, wish]);
    }
    this.#tags.rest();
    if (missing.length === 0) return names;
    // Listed once, and only for the suggestions in an error message.
    const all = await this.#options.remote.ask(clone, []).catch(() => refs);
    const slice = new TimeSlice(this.#options.clock);
    const folders = {
      "refs/heads/": await slice.run(namesIn(all, "refs/heads/")),
      "refs/tags/": await slice.run(namesIn(all, "refs/tags/")),
    };
    for (const [key, wish] of missing) {
      targets.set(key, { failure: notThere(wish, folders) });
      if (slice.isOver) await slice.next();
    }
    return names;
  }

  /**
   * The only wanted ref, fetched: `git fetch` asks for the head itself, so a poll before it is a connection more.
   * Undefined: a poll is necessary.
   */
  async #fetchPushed(
    clone: SourceClone,
    wishes: Wishes,
    pushed: string | undefined,
  ): Promise<Map<string, { readonly ref: string }> | undefined> {
    const only = onlyRefOf(wishes);
    if (pushed === undefined || only?.ref !== pushed) return undefined;
    const ours = ourNameOf(pushed);
    const [known] = await clone.reader.info([ours]);
    if (known === undefined) return undefined;
    this.#options.stats.polls++;
    try {
      const options = { ...this.#fetching(clone), isKnown: true };
      const failures = await fetchRefs(new Map([[pushed, ours]]), options);
      return failures.size > 0 ? undefined : new Map([[only.key, { ref: pushed }]]);
    } catch (error) {
      // The poll finds out whether the remote or the clone is the cause.
      if (isUnexplained(error)) return undefined;
      throw error;
    }
  }

  async #fetchNames(
    clone: SourceClone,
    wanted: ReadonlyMap<string, { readonly ref: string; readonly id: string }>,
  ): Promise<Map<string, SourceFailure>> {
    const refs = new Map([...wanted.values()].map(({ ref, id }) => [ref, id]));
    const names = [...refs.keys()];
    const have = await clone.reader.info(names.map(ourNameOf));
    const due = { known: new Map<string, string>(), fresh: new Map<string, string>() };
    for (const [index, name] of names.entries()) {
      const ours = have[index];
      if (ours?.id === refs.get(name)) continue;
      due[ours === undefined ? "fresh" : "known"].set(name, ourNameOf(name));
    }
    const input = this.#fetching(clone);
    return new Map([
      ...(await fetchRefs(due.fresh, { ...input, isKnown: false })),
      ...(await fetchRefs(due.known, { ...input, isKnown: true })),
    ]);
  }

  async #fetchCommits(clone: SourceClone, wishes: Wishes, targets: Map<string, Target>): Promise<void> {
    const ids = [...wishes].flatMap(([key, wish]) => (wish.kind === "commit" ? [{ key, id: wish.id }] : []));
    const absent = await this.#absentOf(
      clone,
      ids.map(({ id }) => id),
    );
    const { clock } = this.#options;
    const maySearch = (id: string): boolean => this.#searches.take(id, clock.now());
    const length = clone.format === "sha1" ? 40 : 64;
    const due = absent.filter((id) => id.length === length);
    const failures =
      due.length === 0 ? new Map() : await fetchCommits(due, { ...this.#fetching(clone), maySearch });
    const still = new Set(await this.#absentOf(clone, absent));
    for (const { key, id } of ids) {
      const failure = failures.get(id) ?? (still.has(id) ? noCommit(id) : undefined);
      targets.set(key, failure === undefined ? { commit: id } : { failure });
      if (failure === undefined) this.#searches.forget(id);
    }
  }

  async #absentOf(clone: SourceClone, ids: readonly string[]): Promise<string[]> {
    const objects = await clone.reader.info(ids);
    // An id of SHA-1 may be the prefix of one of SHA-256.
    return ids.filter((id, index) => objects[index]?.type !== "commit" || objects[index].id !== id);
  }

  #fetching(clone: SourceClone) {
    const { remote, limits, stats } = this.#options;
    return { clone, remote, limits, onFetch: () => void stats.fetches++ };
  }
}

function idsIn(wishes: Wishes): string[] {
  return [...wishes.values()].flatMap((wish) => (wish.kind === "commit" ? [wish.id] : []));
}

/** Name of a remote ref in the clone: one that cannot conflict with another (`a` and `a/b`), for any name. */
function ourNameOf(ref: string): string {
  return `refs/fairlead/${createHash("sha256").update(ref).digest("hex").slice(0, 32)}`;
}

/** Recreates the clone with the object hash of these ids. */
async function assertFormat(clone: SourceClone, ids: Iterable<string>): Promise<void> {
  const [id] = ids;
  if (id === undefined) return;
  const format = id.length === 64 ? "sha256" : "sha1";
  if (format !== clone.format) await clone.rebuild(format);
}

function targetOf(ref: string, commit: string | undefined): Target {
  if (commit !== undefined) return { commit };
  return {
    failure: { reason: "SourceInvalid", message: `Cannot use ${JSON.stringify(ref)}: it is not a commit` },
  };
}

/** Whether the clone may be the cause of a failed fetch: neither the remote's output nor a killed process explains it. */
function isUnexplained(error: unknown): error is SourceError {
  return error instanceof SourceError && error.reason === "SourceUnreachable" && error.cause === undefined;
}
