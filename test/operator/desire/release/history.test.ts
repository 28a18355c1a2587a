import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Deployment, nextHistory } from "../../../../operator/desire/release/history.ts";
import { aCommit } from "../../../fakes/releases.ts";

const nowIso = "2026-11-21T12:00:00Z";
const deployment = (commit: string, outcome: Deployment["outcome"], digest = `d${commit}`): Deployment => ({
  commit: aCommit(commit),
  digest,
  outcome,
  nowIso,
});
type History = ReturnType<typeof nextHistory>;
const historyOf = (...deployments: Deployment[]): History =>
  deployments.reduce<History>((history, one) => nextHistory(history, one), []);
const outcomes = (history: History) => history.map(({ revision, outcome }) => `${revision[0]} ${outcome}`);

describe("nextHistory()", () => {
  test("keeps the commit and the time with the entry", () => {
    expect(historyOf(deployment("a", "Progressing"))).toEqual([
      {
        revision: "a".repeat(40),
        digest: "da",
        author: "Ann",
        subject: "Commit a",
        committedAt: "2026-11-21T12:00:00Z",
        deployedAt: nowIso,
        outcome: "Progressing",
      },
    ]);
  });

  test.for([
    {
      does: "records its outcome",
      of: [deployment("a", "Progressing"), deployment("a", "Ready")],
      is: ["a Ready"],
    },
    {
      does: "keeps the outcome ready",
      of: [deployment("a", "Ready"), deployment("a", "Failed")],
      is: ["a Ready"],
    },
    {
      does: "changes the outcome from failed to ready",
      of: [deployment("a", "Failed"), deployment("a", "Ready")],
      is: ["a Ready"],
    },
    {
      does: "keeps the outcome failed during a retry",
      of: [deployment("a", "Failed"), deployment("a", "Progressing")],
      is: ["a Failed"],
    },
    {
      does: "marks an entry that was not ready as superseded",
      of: [deployment("a", "Progressing"), deployment("b", "Ready")],
      is: ["b Ready", "a Superseded"],
    },
    {
      does: "keeps the outcome failed of an earlier entry",
      of: [deployment("a", "Failed"), deployment("b", "Ready")],
      is: ["b Ready", "a Failed"],
    },
    {
      does: "adds an entry for a rollback",
      of: [deployment("a", "Ready"), deployment("b", "Ready"), deployment("a", "Ready")],
      is: ["a Ready", "b Ready", "a Ready"],
    },
    {
      does: "adds an entry for the same commit with other manifests",
      of: [deployment("a", "Ready"), deployment("a", "Progressing", "other")],
      is: ["a Progressing", "a Ready"],
    },
  ])("$does", ({ of, is }) => {
    expect(outcomes(historyOf(...of))).toEqual(is);
  });

  test("keeps 10, is idempotent, and changes only its first entry", () => {
    const one = fc
      .tuple(
        fc.constantFrom("a", "b", "c"),
        fc.constantFrom("x", "y"),
        fc.constantFrom("Progressing", "Ready", "Failed"),
      )
      .map(([commit, digest, outcome]) => deployment(commit, outcome as Deployment["outcome"], digest));
    fc.assert(
      fc.property(fc.array(one, { maxLength: 30 }), one, (before, next) => {
        const history = historyOf(...before);
        const now = nextHistory(history, next);
        expect(now.length).toBeLessThanOrEqual(10);
        expect(nextHistory(now, { ...next, nowIso: "2026-11-21T13:00:00Z" })).toBe(now);
        expect(now[0]).toMatchObject({ revision: next.commit.id, digest: next.digest });
        const isSame = history[0]?.revision === next.commit.id && history[0].digest === next.digest;
        const old = isSame
          ? history.slice(1)
          : history.map((entry) =>
              entry.outcome === "Progressing" ? { ...entry, outcome: "Superseded" } : entry,
            );
        expect(now.slice(1)).toEqual(old.slice(0, 9));
        expect(now.slice(1).every(({ outcome }) => outcome !== "Progressing")).toBe(true);
      }),
    );
  });
});
