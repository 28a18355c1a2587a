import { describe, expect, test } from "vitest";
import { type FolderState, nextDeployed } from "../../../../operator/desire/release/deployed-revision.ts";
import { aCommit } from "../../../fakes/releases.ts";

const commit = (digit: string, committedAt = "2026-11-21T12:00:00Z") => ({ ...aCommit(digit), committedAt });
const folder = (tree: string, digit: string, more: Partial<FolderState> = {}): FolderState => ({
  tree,
  touched: commit(digit),
  isAssumed: false,
  ...more,
});
const written = { revision: commit("a").id, tree: "t1" };
/** The revision after each of several reconciles of one process. */
const after = (looks: readonly FolderState[], before: typeof written | null = written) => {
  let known: ReturnType<typeof nextDeployed> | undefined;
  return looks.map((one) => {
    known = nextDeployed({ written: before ?? undefined, known, folder: one });
    return `${known.value.revision[0]} ${known.value.tree}${known.hasMoved ? " moved" : ""}`;
  });
};

describe("nextDeployed()", () => {
  test.for<{ case: string; looks: FolderState[]; before?: null; expected: string[] }>([
    {
      case: "of a new Release is the commit of the source",
      before: null,
      looks: [folder("t1", "a")],
      expected: ["a t1"],
    },
    {
      case: "changes with the files, also when the operator was down",
      looks: [folder("t2", "b"), folder("t3", "c")],
      expected: ["b t2", "c t3 moved"],
    },
    {
      case: "is unchanged when a recreated clone has only the head",
      looks: [folder("t1", "f", { isAssumed: true }), folder("t1", "e", { isAssumed: true })],
      expected: ["a t1", "a t1"],
    },
    {
      case: "changes for commits that revert each other",
      looks: [folder("t1", "a"), folder("t1", "c")],
      expected: ["a t1", "c t1 moved"],
    },
    {
      case: "does not change back when the history becomes available",
      looks: [
        folder("t1", "f", { isAssumed: true, touched: commit("f", "2026-11-21T13:00:00Z") }),
        folder("t1", "0", { touched: commit("0", "2026-11-20T12:00:00Z") }),
      ],
      expected: ["a t1", "a t1"],
    },
    {
      case: "keeps the new value in the next reconcile",
      looks: [
        folder("t1", "a"),
        folder("t1", "c"),
        folder("t1", "c"),
        folder("t1", "d", { isAssumed: true }),
      ],
      expected: ["a t1", "c t1 moved", "c t1 moved", "c t1 moved"],
    },
  ])("$case", ({ looks, before, expected }) => {
    expect(after(looks, before)).toEqual(expected);
  });
});
