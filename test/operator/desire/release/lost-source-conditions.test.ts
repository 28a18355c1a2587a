import { describe, expect, test } from "vitest";
import { Release } from "../../../../crds/release.ts";
import {
  composeReleaseStatus,
  type ReleaseStatusInput,
} from "../../../../operator/desire/release/release-status.ts";
import { conditionOf, conditionsOf, deployedRelease, statusInput } from "../../../fakes/release-statuses.ts";
import { aCommit, aRelease } from "../../../fakes/releases.ts";

const wellApplied = ["Applied True Applied", "Healthy True Healthy"];
const stale = (reason: "SourceUnreachable" | "SourceNotFound") => ({
  head: aCommit("b"),
  changed: aCommit("a"),
  stale: { reason, message: "no" },
});
const nothingKnown = { source: undefined, health: undefined };

describe("conditions of a Release whose source is unavailable", () => {
  test.for<{ case: string; more: Partial<ReleaseStatusInput>; conditions: string[] }>([
    {
      case: "a source that does not respond for longer than its grace period",
      more: { source: stale("SourceUnreachable"), isSourceLost: true },
      conditions: [
        "Ready False SourceUnreachable",
        "Sourced False SourceUnreachable",
        ...wellApplied,
        "Reconciling True SourceUnreachable",
      ],
    },
    {
      case: "a folder that the newest commit does not contain",
      more: { source: stale("SourceNotFound") },
      conditions: [
        "Ready False SourceNotFound",
        "Sourced False SourceNotFound",
        ...wellApplied,
        "Stalled True SourceNotFound",
      ],
    },
    {
      case: "failed objects of a source that no longer exists",
      more: {
        source: stale("SourceNotFound"),
        health: { status: "Failed", reason: "Timeout", message: "1 of 2" },
      },
      conditions: [
        "Ready False Failed",
        "Sourced False SourceNotFound",
        "Applied True Applied",
        "Healthy False Failed",
        "Stalled True Failed",
      ],
    },
    {
      case: "a long outage after which the source is unknown",
      more: {
        resource: deployedRelease,
        outcome: { state: "unsourced", failure: { reason: "SourceUnreachable", message: "no answer" } },
        isSourceLost: true,
        ...nothingKnown,
      },
      conditions: [
        "Ready False SourceUnreachable",
        "Sourced False SourceUnreachable",
        ...wellApplied,
        "Reconciling True SourceUnreachable",
      ],
    },
    {
      case: "objects that failed while a commit cannot be rendered",
      more: {
        resource: deployedRelease,
        outcome: { state: "unsourced", failure: { reason: "RenderFailed", message: "a.yaml:3" } },
        health: { status: "Failed", reason: "Timeout", message: "1 of 2" },
      },
      conditions: [
        "Ready False RenderFailed",
        "Sourced False RenderFailed",
        "Applied True Applied",
        "Healthy False Failed",
        "Stalled True RenderFailed",
      ],
    },
    {
      case: "objects that failed during a short outage",
      more: {
        resource: deployedRelease,
        outcome: { state: "unsourced", failure: { reason: "SourceUnreachable", message: "no answer" } },
        source: undefined,
        health: { status: "Failed", reason: "Timeout", message: "1 of 2" },
      },
      conditions: [
        "Ready False SourceUnreachable",
        "Sourced False SourceUnreachable",
        "Applied True Applied",
        "Healthy False Failed",
        "Reconciling True SourceUnreachable",
      ],
    },
    {
      case: "credentials that are refused, of a Release that is pinned to what it has deployed",
      more: {
        resource: deployedRelease,
        outcome: { state: "unsourced", failure: { reason: "SourceRefused", message: "expired" } },
        isSourceLost: false,
        ...nothingKnown,
      },
      conditions: ["Ready True Reconciled", "Sourced False SourceRefused", ...wellApplied],
    },
  ])("of $case", ({ more, conditions }) => {
    const status = composeReleaseStatus(statusInput(more));
    expect(conditionsOf(status)).toEqual(conditions);
    Release.status.parse(status);
  });

  test("Applied and Healthy state why nothing is applied now, not why it was not before", () => {
    const failing = (reason: "SourceNotFound" | "RenderFailed", resource: ReleaseStatusInput["resource"]) => {
      const outcome = { state: "unsourced", failure: { reason, message: "no" } } as const;
      return composeReleaseStatus(statusInput({ resource, outcome, ...nothingKnown }));
    };
    const before = failing("SourceNotFound", aRelease());
    const now = failing("RenderFailed", { ...aRelease(), status: Release.status.parse(before) });
    expect(conditionsOf(before).slice(2, 4)).toEqual([
      "Applied Unknown SourceNotFound",
      "Healthy Unknown SourceNotFound",
    ]);
    expect(conditionsOf(now).slice(2, 4)).toEqual([
      "Applied Unknown RenderFailed",
      "Healthy Unknown RenderFailed",
    ]);
  });

  test("Ready reports the deployed state instead of the error of git", () => {
    const status = composeReleaseStatus(statusInput({ source: stale("SourceNotFound") }));
    expect(conditionOf(status, "Ready")?.message).toBe(
      "no. Commit aaaaaaaaaaaa stays deployed, and drift is corrected",
    );
  });
});

describe("Ready of a Release that does not follow its source", () => {
  test("reports once what a pin ignores", () => {
    const pin = aCommit("b").id;
    const resource = aRelease({ spec: { revision: pin } });
    const status = composeReleaseStatus(statusInput({ resource }));
    const message = "4 objects in place. Pinned to bbbbbbbbbbbb by spec.revision: branch main is ignored";
    expect(conditionOf(status, "Ready")?.message).toBe(message);
    expect(status["ignored"]).toBe("branch main");
    const outage = { state: "unsourced", failure: { reason: "SourceUnreachable", message: "no" } } as const;
    const again = statusInput({
      resource: aRelease({ spec: { revision: pin }, status: status as never }),
      outcome: outage,
      ...nothingKnown,
    });
    expect(conditionOf(composeReleaseStatus(again), "Ready")?.message).toBe(message);
  });

  test("reports what a suspended Release ignores, and what it keeps", () => {
    const resource = { ...deployedRelease, spec: { ...deployedRelease.spec, suspend: true } };
    const status = composeReleaseStatus(
      statusInput({ resource, outcome: { state: "suspended" }, ...nothingKnown }),
    );
    expect(conditionOf(status, "Ready")?.message).toBe(
      "Suspended: not reconciled until spec.suspend is false. This ignores branch main, edits of the spec and manual changes to objects; commit aaaaaaaaaaaa stays deployed",
    );
    expect(status["ignored"]).toBe("everything");
  });
});
