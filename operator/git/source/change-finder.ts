import type { Clock } from "../../ports.ts";
import { TimeSlice } from "../../runtime/time-slice.ts";
import type { CommitObject } from "./git-objects.ts";
import type { SourceCommit } from "./ports.ts";
import type { TreeLookup } from "./tree-lookup.ts";

/** Paths from the root down. A change of one or more of them is one query. */
export type Subject = readonly (readonly string[])[];

/** How many commits are searched. */
const COMMITS = 500;

interface FindChangesOptions {
  readonly trees: TreeLookup;
  readonly clock: Clock;
  /** How many commits are compared with their parents. Default: {@link COMMITS}. */
  readonly commits?: number;
}

/**
 * The newest commits that changed some paths, for all queries in one walk. Follows first parents: a merge counts as the
 * commit that changed the branch.
 *
 * @returns By subject, in their order. Undefined: none of the searched commits changed them, or the clone's history does
 * not reach back far enough.
 * @throws GitError `CacheBroken` when the head is not in the clone.
 */
export async function findChanges(
  head: CommitObject,
  subjects: readonly Subject[],
  { trees, clock, commits = COMMITS }: FindChangesOptions,
): Promise<(SourceCommit | undefined)[]> {
  const found = new Array<SourceCommit | undefined>(subjects.length).fill(undefined);
  const slice = new TimeSlice(clock);
  let current = head;
  let open = new Map<number, string>();
  for (const [index, subject] of subjects.entries()) open.set(index, await markOf(head.tree, subject, trees));
  for (let depth = 0; depth < commits && open.size > 0; depth++) {
    const [first] = current.parents;
    const parent = first === undefined ? undefined : await trees.commit(first);
    // The clone's history ends here: a root commit added everything that is left; at the shallow boundary nothing is
    // known.
    if (parent === undefined) {
      if (first === undefined) for (const index of open.keys()) found[index] = current.commit;
      break;
    }
    if (parent.tree !== current.tree) {
      const still = new Map<number, string>();
      for (const [index, mark] of open) {
        if (slice.isOver) await slice.next();
        const before = markOf(parent.tree, subjects[index] ?? [], trees);
        if ((typeof before === "string" ? before : await before) === mark) still.set(index, mark);
        else found[index] = current.commit;
      }
      open = still;
    }
    if (slice.isOver) await slice.next();
    current = parent;
  }
  return found;
}

/**
 * How many commits a head is after another one, by first parents.
 *
 * @returns Undefined: the other one is not among the last {@link COMMITS}, such as after the branch was rewritten.
 */
export async function countCommitsSince(
  head: CommitObject,
  since: string,
  { trees, clock }: Pick<FindChangesOptions, "trees" | "clock">,
): Promise<number | undefined> {
  const slice = new TimeSlice(clock);
  let current: CommitObject | undefined = head;
  for (let count = 0; count <= COMMITS && current !== undefined; count++) {
    if (current.commit.id === since) return count;
    const [first]: readonly string[] = current.parents;
    current = first === undefined ? undefined : await trees.commit(first);
    if (slice.isOver) await slice.next();
  }
  return undefined;
}

/** Ids of the objects at the paths: equal marks, equal content. Waits only if a folder must be read. */
function markOf(root: string, subject: Subject, trees: TreeLookup): string | Promise<string> {
  const entries = subject.map((segments) => trees.find(root, segments));
  if (entries.some((entry) => entry instanceof Promise))
    return Promise.all(entries).then((all) => all.map((entry) => entry?.id).join());
  return entries.map((entry) => (entry as { id: string } | undefined)?.id).join();
}
