import { shortId } from "../../../crds/short-id.ts";
import { SourceError, type SourceFailure } from "../../errors.ts";
import type { Clock } from "../../ports.ts";
import { TimeSlice } from "../../runtime/time-slice.ts";
import { countCommitsSince, findChanges, type Subject } from "./change-finder.ts";
import type { CommitObject } from "./git-objects.ts";
import type { SourceCommit } from "./ports.ts";
import { describeSimilarNames } from "./similar-names.ts";
import type { SourceClone } from "./source-clone.ts";
import { placeKeyOf, type SourceWish } from "./source-wish.ts";
import { type FoundEntry, keepNewest, type TreeLookup } from "./tree-lookup.ts";

/** A folder of a ref. */
export type Place = Pick<SourceWish, "placeKey" | "segments">;

/** A folder of a commit. */
export interface FoundPlace {
  readonly head: CommitObject;
  readonly tree: string;
  readonly changed: SourceCommit;
  /** The clone's history does not reach back to the change: `changed` is the head. */
  readonly isAssumed: boolean;
}

type Change = Pick<FoundPlace, "changed" | "isAssumed">;

interface Remembered {
  readonly change: Change;
  /** The result for the folder. */
  readonly mark: string;
  /** Id of the commit at which it was found. */
  readonly head: string;
}

interface Question {
  readonly head: CommitObject;
  /** Identifies the subject and the ref. */
  readonly key: string;
  readonly subject: Subject;
  readonly mark: string;
}

/** The folders at paths, and the commits that changed them. Only commits since the last answer are compared. */
export class SourcePlaces {
  readonly #clock: Clock;
  readonly #remembered = new Map<string, Remembered>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Finds the folders at paths of commits, all at once.
   *
   * @param places With the commit that each ref names. @returns In their order.
   * @throws GitError `CacheBroken` when a commit is not in the clone.
   */
  async find(
    clone: SourceClone,
    places: readonly (Place & { readonly commit: string })[],
  ): Promise<(FoundPlace | SourceFailure)[]> {
    const slice = new TimeSlice(this.#clock);
    const found: (Omit<FoundPlace, keyof Change> | SourceFailure)[] = [];
    // One wait for each commit, and not for each of a thousand places.
    const heads = new Map<string, CommitObject | undefined>();
    for (const { commit, segments } of places) {
      if (slice.isOver) await slice.next();
      if (!heads.has(commit)) heads.set(commit, await clone.trees.commit(commit));
      const head = heads.get(commit);
      if (head === undefined) {
        found.push({
          reason: "SourceUnreachable",
          message: `Cannot read commit ${commit}: it is being fetched again`,
        });
        continue;
      }
      const entry = clone.trees.find(head.tree, segments);
      const at = entry instanceof Promise ? await entry : entry;
      found.push(
        at?.kind === "tree" ? { head, tree: at.id } : await notAFolder(clone.trees, head, segments, at),
      );
    }
    const questions = places.map(({ placeKey, segments }, index) => {
      const it = found[index];
      if (it === undefined || "reason" in it) return undefined;
      return { head: it.head, key: placeKey, subject: [segments], mark: it.tree };
    });
    const changes = await this.#changesOf(clone, questions);
    return found.map((it, index) =>
      "reason" in it ? it : { ...it, ...(changes[index] ?? assumed(it.head)) },
    );
  }

  /**
   * Whether the folders at paths of commits differ from known ones, without a search for the commits that changed them.
   *
   * @returns In their order; undefined for an undefined one.
   * @throws GitError `CacheBroken`
   */
  async areOther(
    clone: SourceClone,
    places: readonly (
      | (Pick<Place, "segments"> & { readonly commit: string; readonly tree: string })
      | undefined
    )[],
  ): Promise<(boolean | undefined)[]> {
    const slice = new TimeSlice(this.#clock);
    const heads = new Map<string, CommitObject | undefined>();
    const answers: (boolean | undefined)[] = [];
    for (const [index, place] of places.entries()) {
      if (slice.isOver) await slice.next();
      if (place === undefined) continue;
      const { commit, segments, tree } = place;
      if (!heads.has(commit)) heads.set(commit, await clone.trees.commit(commit));
      const head = heads.get(commit);
      if (head === undefined) continue;
      const entry = clone.trees.find(head.tree, segments);
      answers[index] = (entry instanceof Promise ? await entry : entry)?.id !== tree;
    }
    return answers;
  }

  /** The newest commit up to a head that changed one of some paths. @throws GitError `CacheBroken` */
  async lastChange(
    clone: SourceClone,
    head: CommitObject,
    refKey: string,
    subject: Subject,
  ): Promise<SourceCommit> {
    const entries = await Promise.all(subject.map((segments) => clone.trees.find(head.tree, segments)));
    const mark = entries.map((entry) => entry?.id).join();
    const [change] = await this.#changesOf(clone, [
      { head, key: placeKeyOf(refKey, subject), subject, mark },
    ]);
    return change?.changed ?? head.commit;
  }

  /** Keeps only as many entries as that many folders need. */
  trim(places: number): void {
    keepNewest(this.#remembered, 4 * places + 100);
  }

  /** Walks the history once for all folders with the same head and the same previous head. */
  async #changesOf(
    clone: SourceClone,
    questions: readonly (Question | undefined)[],
  ): Promise<(Change | undefined)[]> {
    const changes: (Change | undefined)[] = [];
    const walks = new Map<string, Walk>();
    for (const [index, question] of questions.entries()) {
      if (question === undefined) continue;
      const { head, key, subject, mark } = question;
      const known = this.#remembered.get(key);
      const before = known?.mark === mark ? known : undefined;
      if (before?.head === head.commit.id) changes[index] = before.change;
      else {
        // The same files may have been changed and reverted since.
        const of = `${head.commit.id} ${before?.head ?? ""}`;
        const walk = walks.getOrInsertComputed(of, () => ({ head, since: before?.head, open: [] }));
        walk.open.push({ index, key, mark, subject, before });
      }
    }
    for (const walk of walks.values()) {
      const found = await this.#walk(clone, walk);
      for (const [at, { index, key, mark, before }] of walk.open.entries()) {
        const changed = found[at];
        const change =
          changed === undefined ? (before?.change ?? assumed(walk.head)) : { changed, isAssumed: false };
        changes[index] = change;
        this.#remembered.delete(key);
        this.#remembered.set(key, { mark, head: walk.head.commit.id, change });
      }
    }
    return changes;
  }

  async #walk(
    { trees }: SourceClone,
    { head, since, open }: Walk,
  ): Promise<readonly (SourceCommit | undefined)[]> {
    const options = { trees, clock: this.#clock };
    const subjects = open.map(({ subject }) => subject);
    if (since === undefined) return await findChanges(head, subjects, options);
    const commits = await countCommitsSince(head, since, options);
    // The history of the branch was rewritten: an unchanged folder keeps its previous commit.
    return commits === undefined ? [] : await findChanges(head, subjects, { ...options, commits });
  }
}

interface Walk {
  readonly head: CommitObject;
  /** The previous head with the same folder; undefined: it did not exist or was different. */
  readonly since: string | undefined;
  readonly open: {
    readonly index: number;
    readonly key: string;
    readonly mark: string;
    readonly subject: Subject;
    readonly before: Remembered | undefined;
  }[];
}

function assumed({ commit }: CommitObject): Change {
  return { changed: commit, isAssumed: true };
}

async function notAFolder(
  trees: TreeLookup,
  head: CommitObject,
  segments: readonly string[],
  at: FoundEntry | undefined,
): Promise<SourceFailure> {
  const path = JSON.stringify(segments.join("/"));
  const where = `commit ${shortId(head.commit.id)}`;
  if (at !== undefined) {
    const what =
      at.kind === "file"
        ? "a file"
        : at.kind === "symlink"
          ? "a symlink, which is not followed"
          : "a submodule, which is not fetched";
    return new SourceError("SourceInvalid", `Cannot use the path ${path} of ${where}: it is ${what}`).failure;
  }
  // The deepest existing folder provides the suggestions.
  for (let depth = segments.length - 1; depth >= 0; depth--) {
    const folder = await trees.find(head.tree, segments.slice(0, depth));
    if (folder?.kind !== "tree") continue;
    const names = (await trees.list(folder.id))
      .filter(([, { kind }]) => kind === "tree")
      .map(([name]) => name);
    const near = describeSimilarNames(segments[depth] ?? "", names);
    const below =
      depth === 0 || near === "" ? "" : ` below ${JSON.stringify(segments.slice(0, depth).join("/"))}`;
    return new SourceError("SourceNotFound", `Cannot find the folder ${path} in ${where}${near}${below}`)
      .failure;
  }
  return new SourceError("SourceNotFound", `Cannot find the folder ${path} in ${where}`).failure;
}
