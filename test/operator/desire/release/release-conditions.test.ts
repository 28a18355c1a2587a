import { describe, expect, test } from "vitest";
import { Release } from "../../../../crds/release.ts";
import {
  composeReleaseStatus,
  type ReleaseStatusInput,
} from "../../../../operator/desire/release/release-status.ts";
import { conditionsOf, deployedRelease, having, statusInput } from "../../../fakes/release-statuses.ts";
import { aCommit } from "../../../fakes/releases.ts";

const wellApplied = ["Applied True Applied", "Healthy True Healthy"];
const nothingKnown = { source: undefined, health: undefined };

describe("composeReleaseConditions()", () => {
  test.for<{ case: string; more: Partial<ReleaseStatusInput>; conditions: string[] }>([
    {
      case: "a first fetch that is in progress",
      more: { outcome: { state: "pending", message: "Looking" }, source: undefined, health: undefined },
      conditions: [
        "Ready Unknown SourcePending",
        "Sourced Unknown SourcePending",
        "Applied Unknown SourcePending",
        "Healthy Unknown SourcePending",
        "Reconciling True SourcePending",
      ],
    },
    {
      case: "a source that does not exist",
      more: {
        outcome: { state: "unsourced", failure: { reason: "SourceNotFound", message: "no branch x" } },
        ...nothingKnown,
      },
      conditions: [
        "Ready False SourceNotFound",
        "Sourced False SourceNotFound",
        "Applied Unknown SourceNotFound",
        "Healthy Unknown SourceNotFound",
        "Stalled True SourceNotFound",
      ],
    },
    {
      case: "a remote that does not respond",
      more: {
        outcome: { state: "unsourced", failure: { reason: "SourceUnreachable", message: "no answer" } },
        ...nothingKnown,
      },
      conditions: [
        "Ready False SourceUnreachable",
        "Sourced False SourceUnreachable",
        "Applied Unknown SourceUnreachable",
        "Healthy Unknown SourceUnreachable",
        "Reconciling True SourceUnreachable",
      ],
    },
    {
      case: "a commit that cannot be rendered, while another one is deployed",
      more: {
        resource: deployedRelease,
        outcome: { state: "unsourced", failure: { reason: "RenderFailed", message: "a.yaml:3" } },
        health: undefined,
      },
      conditions: [
        "Ready False RenderFailed",
        "Sourced False RenderFailed",
        ...wellApplied,
        "Stalled True RenderFailed",
      ],
    },
    {
      case: "a commit that is rendered later, while another one is deployed",
      more: {
        resource: deployedRelease,
        outcome: { state: "unsourced", failure: { reason: "RenderQuota", message: "continues at noon" } },
        health: undefined,
      },
      conditions: [
        "Ready False RenderQuota",
        "Sourced False RenderQuota",
        ...wellApplied,
        "Reconciling True RenderQuota",
      ],
    },
    {
      case: "an outage during which the deployed objects stay ready",
      more: {
        resource: deployedRelease,
        outcome: { state: "unsourced", failure: { reason: "SourceUnreachable", message: "no answer" } },
        ...nothingKnown,
      },
      conditions: ["Ready True Reconciled", "Sourced False SourceUnreachable", ...wellApplied],
    },
    {
      case: "an edit during an outage",
      more: {
        resource: having(deployedRelease.status, 2),
        outcome: { state: "unsourced", failure: { reason: "SourceUnreachable", message: "no answer" } },
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
      case: "a source that is stale",
      more: {
        source: {
          head: aCommit("b"),
          changed: aCommit("a"),
          stale: { reason: "SourceUnreachable", message: "no answer" },
        },
      },
      conditions: ["Ready True Reconciled", "Sourced False SourceUnreachable", ...wellApplied],
    },
    {
      case: "a dependency that is not ready",
      more: {
        outcome: {
          state: "waiting",
          reason: "DependencyNotReady",
          message: "Release shop/db is not ready",
          isWatched: true,
        },
        health: undefined,
      },
      conditions: [
        "Ready False DependencyNotReady",
        "Sourced True Sourced",
        "Applied False DependencyNotReady",
        "Healthy Unknown DependencyNotReady",
        "Reconciling True DependencyNotReady",
      ],
    },
    {
      case: "a cycle",
      more: { outcome: { state: "refused", reason: "DependencyCycle", message: "a → a" }, health: undefined },
      conditions: [
        "Ready False DependencyCycle",
        "Sourced True Sourced",
        "Applied False DependencyCycle",
        "Healthy Unknown DependencyCycle",
        "Stalled True DependencyCycle",
      ],
    },
    {
      case: "objects that may not be deleted without approval",
      more: { outcome: { state: "refused", reason: "PruneHeld", message: "Nothing is deleted" } },
      conditions: [
        "Ready False PruneHeld",
        "Sourced True Sourced",
        "Applied False PruneHeld",
        "Healthy True Healthy",
        "Stalled True PruneHeld",
      ],
    },
    {
      case: "a kind that may not be watched",
      more: {
        outcome: { state: "refused", reason: "KindNotWatched", message: "no rights" },
        health: undefined,
      },
      conditions: [
        "Ready False KindNotWatched",
        "Sourced True Sourced",
        "Applied False KindNotWatched",
        "Healthy Unknown KindNotWatched",
        "Stalled True KindNotWatched",
      ],
    },
    {
      case: "a wait for an object that failed",
      more: {
        outcome: { state: "waiting", message: "Service shop/web waits", isWatched: true },
        health: { status: "Failed", reason: "Timeout", message: "1 of 2" },
      },
      conditions: [
        "Ready False Failed",
        "Sourced True Sourced",
        "Applied False Progressing",
        "Healthy False Failed",
        "Stalled True Failed",
      ],
    },
    {
      case: "objects that are not healthy yet",
      more: { health: { status: "InProgress", reason: "Updating", message: "1 of 2" } },
      conditions: [
        "Ready False Progressing",
        "Sourced True Sourced",
        "Applied True Applied",
        "Healthy False Progressing",
        "Reconciling True Progressing",
      ],
    },
    {
      case: "objects that failed",
      more: { health: { status: "Failed", reason: "Timeout", message: "1 of 2" } },
      conditions: [
        "Ready False Failed",
        "Sourced True Sourced",
        "Applied True Applied",
        "Healthy False Failed",
        "Stalled True Failed",
      ],
    },
    {
      case: "a Release that is suspended",
      more: {
        resource: deployedRelease,
        outcome: { state: "suspended" },
        ...nothingKnown,
      },
      conditions: ["Ready True Suspended", "Sourced True Sourced", ...wellApplied],
    },
    {
      case: "one that was suspended from the start",
      more: { outcome: { state: "suspended" }, source: undefined, health: undefined },
      conditions: ["Ready Unknown Suspended", "Applied Unknown Suspended", "Healthy Unknown Suspended"],
    },
    {
      case: "one that is being deleted",
      more: {
        resource: deployedRelease,
        outcome: { state: "deleting", message: "Waiting" },
        ...nothingKnown,
      },
      conditions: [
        "Ready False Deleting",
        "Sourced True Sourced",
        ...wellApplied,
        "Reconciling True Deleting",
      ],
    },
    {
      case: "a publication that is refused",
      more: { publish: { state: "failed", reason: "PushRefused", message: "no" } },
      conditions: [
        "Ready True Reconciled",
        "Sourced True Sourced",
        ...wellApplied,
        "Published False PushRefused",
      ],
    },
  ])("has conditions for $case", ({ more, conditions }) => {
    const status = composeReleaseStatus(statusInput(more));
    expect(conditionsOf(status)).toEqual(conditions);
    Release.status.parse(status);
  });
});
