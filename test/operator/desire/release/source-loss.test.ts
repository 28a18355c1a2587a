import { describe, expect, test } from "vitest";
import { isPinnedTo } from "../../../../operator/desire/release/source-loss.ts";
import { graceLeftMs, sourceGraceMs } from "../../../../operator/engine/source-grace.ts";
import type { SourceFailureReason } from "../../../../operator/errors.ts";
import { deployedRelease } from "../../../fakes/release-statuses.ts";
import { aCommit } from "../../../fakes/releases.ts";

const nowMs = Date.parse("2026-11-22T12:00:00Z");
const sourced = (status: "True" | "False", minutesAgo: number) => [
  {
    type: "Sourced",
    status,
    reason: "x",
    message: "",
    lastTransitionTime: new Date(nowMs - minutesAgo * 60_000).toISOString(),
  },
];

describe("graceLeftMs()", () => {
  const failed = (reason: SourceFailureReason) => ({ reason, message: "no" });

  test.for([
    { case: "an outage that begins", conditions: sourced("True", 60), leftMs: sourceGraceMs },
    { case: "an outage before the first status", conditions: undefined, leftMs: sourceGraceMs },
    { case: "an outage of two minutes", conditions: sourced("False", 2), leftMs: sourceGraceMs - 120_000 },
    { case: "an outage of an hour", conditions: sourced("False", 60), leftMs: 0 },
    { case: "a clock that was set back", conditions: sourced("False", -60), leftMs: sourceGraceMs },
  ])("of $case is $leftMs", ({ conditions, leftMs }) => {
    expect(graceLeftMs({ failure: failed("SourceUnreachable"), conditions, nowMs })).toBe(leftMs);
  });

  test("a failure that the remote reports has no grace period", () => {
    for (const reason of ["SourceRefused", "SourceNotFound", "SourceInvalid", "SourceNotVerified"] as const)
      expect(graceLeftMs({ failure: failed(reason), conditions: undefined, nowMs })).toBe(0);
  });
});

describe("isPinnedTo()", () => {
  const [deployed, other] = [aCommit("b").id, aCommit("c").id];
  const all = ["SourceUnreachable", "SourceRefused", "SourceNotFound", "SourceNotVerified"] as const;
  const standing = (spec: object, source: object, head: string) =>
    all.filter((reason) =>
      isPinnedTo(
        head,
        {
          status: deployedRelease.status as never,
          spec: {
            ...deployedRelease.spec,
            ...spec,
            source: { ...deployedRelease.spec.source, ...source },
          },
        },
        { reason },
      ),
    );

  test.for([
    { case: "a branch", spec: {}, source: {}, reasons: [] },
    { case: "a pin", spec: { revision: deployed }, source: {}, reasons: all.slice(0, 3) },
    { case: "another pin", spec: { revision: other }, source: {}, reasons: [] },
    { case: "a commit", spec: {}, source: { ref: { commit: deployed } }, reasons: all.slice(0, 3) },
    { case: "a tag", spec: {}, source: { ref: { tag: "v1" } }, reasons: all.slice(0, 2) },
    { case: "a range of tags", spec: {}, source: { ref: { semver: "1" } }, reasons: [] },
  ])("$case stays through $reasons", ({ spec, source, reasons }) => {
    expect(standing(spec, source, deployed)).toEqual(reasons);
  });

  test("no condition stays while another commit is in progress", () => {
    const status = { ...deployedRelease.status, attempted: other } as never;
    const spec = { ...deployedRelease.spec, revision: deployed };
    expect(isPinnedTo(deployed, { spec, status }, { reason: "SourceUnreachable" })).toBe(false);
  });
});
