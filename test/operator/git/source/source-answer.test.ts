import { describe, expect, test } from "vitest";
import type { SourceFailure } from "../../../../operator/errors.ts";
import type { SourceRevision, SourceState } from "../../../../operator/git/source/ports.ts";
import { answerOf, isSameAnswer } from "../../../../operator/git/source/source-answer.ts";

const down: SourceFailure = { reason: "SourceUnreachable", message: "no answer" };
const gone: SourceFailure = { reason: "SourceNotFound", message: "no branch" };

function aRevision({ head = "h", changed = "c", tree = "t" } = {}): SourceRevision {
  const commit = (id: string) => ({ id, author: "", subject: "", committedAt: "" });
  return {
    head: commit(head),
    changed: commit(changed),
    tree,
    repositoryId: "x",
    lastChangeOf: async () => commit(changed),
    authorsOf: async () => ({ authors: [] }),
    files: { list: async () => ({ files: [], refused: [] }), read: async () => new Map() },
  };
}

function ready(
  of: Parameters<typeof aRevision>[0] = {},
  stale?: SourceFailure,
  handledRequest?: string,
): SourceState {
  const state = { state: "ready", revision: aRevision(of), handledRequest } as const;
  return stale === undefined ? state : { ...state, stale };
}

describe("isSameAnswer()", () => {
  test.for([
    { what: "another head", before: ready(), after: ready({ head: "h2" }), isSame: true },
    { what: "another tree", before: ready(), after: ready({ tree: "t2" }), isSame: false },
    {
      what: "another commit that changed it",
      before: ready(),
      after: ready({ changed: "c2" }),
      isSame: false,
    },
    { what: "an outage", before: ready(), after: ready({}, down), isSame: false },
    { what: "the same outage", before: ready({}, down), after: ready({}, { ...down }), isSame: true },
    { what: "another outage", before: ready({}, down), after: ready({}, gone), isSame: false },
    { what: "the end of an outage", before: ready({}, down), after: ready(), isSame: false },
    { what: "a handled request", before: ready(), after: ready({}, undefined, "one"), isSame: false },
    { what: "a first answer", before: { state: "pending" } as const, after: ready(), isSame: false },
    {
      what: "still none",
      before: { state: "pending" } as const,
      after: { state: "pending" } as const,
      isSame: true,
    },
    {
      what: "the same failure",
      before: { state: "failed", failure: down } as const,
      after: { state: "failed", failure: { ...down } } as const,
      isSame: true,
    },
    {
      what: "another message",
      before: { state: "failed", failure: down } as const,
      after: { state: "failed", failure: { ...down, message: "refused" } } as const,
      isSame: false,
    },
    {
      what: "a failure",
      before: { state: "pending" } as const,
      after: { state: "failed", failure: down } as const,
      isSame: false,
    },
  ])("returns $isSame for $what", ({ before, after, isSame }) => {
    expect(isSameAnswer(before, after)).toBe(isSame);
  });
});

describe("answerOf()", () => {
  const pending = { state: "pending" } as const;
  const nothing = { outage: undefined, handledRequest: undefined };

  test("a failure is the answer until the first good state, and is added to the good state afterwards", () => {
    expect(answerOf({ ...nothing, before: pending, now: gone })).toEqual({ state: "failed", failure: gone });
    const before = ready({ tree: "old" });
    expect(answerOf({ ...nothing, before, now: gone })).toMatchObject({
      revision: { tree: "old" },
      stale: gone,
    });
  });

  test("an outage is reported with the content of the clone, until it ends", () => {
    const now = aRevision({ tree: "new" });
    const during = answerOf({ ...nothing, before: pending, now, outage: down, handledRequest: "one" });
    expect(during).toMatchObject({
      state: "ready",
      revision: { tree: "new" },
      stale: down,
      handledRequest: "one",
    });
    expect(answerOf({ ...nothing, before: during, now })).not.toHaveProperty("stale");
  });
});
