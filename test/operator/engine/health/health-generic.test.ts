import { describe, expect, test } from "vitest";
import { assess, condition, conditions, type HealthCase, old, young } from "../../../fakes/health-cases.ts";

const cases: readonly HealthCase[] = [
  // Autoscalers, budgets, APIs
  {
    does: "an unobserved autoscaler is in progress",
    head: "autoscaling/v2 HorizontalPodAutoscaler",
    is: { status: "InProgress" },
  },
  {
    does: "an active autoscaler is Current",
    head: "autoscaling/v2 HorizontalPodAutoscaler",
    rest: conditions(condition("AbleToScale", "True"), condition("ScalingActive", "True")),
    is: { status: "Current" },
  },
  {
    does: "an autoscaler without target is Failed",
    head: "autoscaling/v2 HorizontalPodAutoscaler",
    rest: conditions(condition("AbleToScale", "False", ", reason: FailedGetScale, message: not found")),
    is: { status: "Failed", message: "not found" },
  },
  {
    does: "an autoscaler without metrics is in progress at first",
    head: "autoscaling/v2 HorizontalPodAutoscaler",
    rest: conditions(
      condition("AbleToScale", "True"),
      condition(
        "ScalingActive",
        "False",
        ', reason: FailedGetResourceMetric, lastTransitionTime: "2026-01-01T11:59:00Z"',
      ),
    ),
    is: { status: "InProgress", recheckAfterMs: 60_000 },
  },
  {
    does: "an autoscaler without metrics is Failed after a while",
    head: "autoscaling/v2 HorizontalPodAutoscaler",
    rest: conditions(
      condition("AbleToScale", "True"),
      condition(
        "ScalingActive",
        "False",
        ', reason: FailedGetResourceMetric, lastTransitionTime: "2026-01-01T11:00:00Z"',
      ),
    ),
    is: { status: "Failed", reason: "FailedGetResourceMetric" },
  },
  {
    does: "an autoscaler whose target is scaled to zero is Current",
    head: "autoscaling/v2 HorizontalPodAutoscaler",
    rest: conditions(
      condition("AbleToScale", "True"),
      condition("ScalingActive", "False", ", reason: ScalingDisabled"),
    ),
    is: { status: "Current" },
  },
  {
    does: "a budget that allows no disruption now is Current",
    head: "policy/v1 PodDisruptionBudget",
    rest: conditions(condition("DisruptionAllowed", "False", ", reason: InsufficientPods")),
    is: { status: "Current" },
  },
  {
    does: "a budget that cannot be computed is Failed",
    head: "policy/v1 PodDisruptionBudget",
    rest: conditions(condition("DisruptionAllowed", "False", ", reason: SyncFailed")),
    is: { status: "Failed" },
  },
  {
    does: "an API that responds is Current",
    head: "apiregistration.k8s.io/v1 APIService",
    rest: conditions(condition("Available", "True")),
    is: { status: "Current" },
  },
  {
    does: "an API that does not respond for a long time is Failed",
    head: "apiregistration.k8s.io/v1 APIService",
    rest: conditions(condition("Available", "False", ', lastTransitionTime: "2026-01-01T11:00:00Z"')),
    is: { status: "Failed" },
  },
  {
    does: "a CRD that is served is Current",
    head: "apiextensions.k8s.io/v1 CustomResourceDefinition",
    rest: conditions(condition("NamesAccepted", "True"), condition("Established", "True")),
    is: { status: "Current" },
  },
  {
    does: "a CRD whose names are in use is Failed",
    head: "apiextensions.k8s.io/v1 CustomResourceDefinition",
    rest: conditions(condition("NamesAccepted", "False", ", reason: ListKindConflict")),
    is: { status: "Failed", reason: "ListKindConflict" },
  },
  {
    does: "a CRD that is being installed is in progress",
    head: "apiextensions.k8s.io/v1 CustomResourceDefinition",
    is: { status: "InProgress" },
  },
  // Everything else
  { does: "a ConfigMap is Current", head: `v1 ConfigMap { ${young} }`, is: { status: "Current" } },
  {
    does: "a Role is Current",
    head: `rbac.authorization.k8s.io/v1 Role { ${young} }`,
    is: { status: "Current" },
  },
  {
    does: "an unobserved custom resource is in progress",
    head: `example.dev/v1 Widget { ${young} }`,
    is: {
      status: "InProgress",
      recheckAfterMs: 30_000,
      message:
        "no controller has written its status yet; it counts as healthy without one a minute after it was created",
    },
  },
  {
    does: "a custom resource without a status is Current after a while",
    head: `example.dev/v1 Widget { ${old} }`,
    is: { status: "Current" },
  },
  {
    does: "a custom resource that is ready is Current",
    head: "example.dev/v1 Widget",
    rest: conditions(condition("Ready", "True")),
    is: { status: "Current" },
  },
  {
    does: "a custom resource with an unobserved edit is in progress",
    head: "example.dev/v1 Widget { generation: 2 }",
    rest: 'status: { observedGeneration: 1, conditions: [{ type: Ready, status: "True" }] }',
    is: { status: "InProgress", reason: "Unobserved" },
  },
  {
    does: "a custom resource that is not ready is in progress",
    head: "example.dev/v1 Widget",
    rest: conditions(
      condition(
        "Ready",
        "False",
        ', reason: Waiting, message: for a disk, lastTransitionTime: "2026-01-01T11:59:00Z"',
      ),
    ),
    is: { status: "InProgress", reason: "Waiting", message: "for a disk", recheckAfterMs: 540_000 },
  },
  {
    does: "a resource that another one has not started is Suspended, for any time",
    head: "fairlead.dev/v1alpha1 Release",
    rest: conditions(
      condition("Reconciling", "True"),
      condition(
        "Ready",
        "False",
        ', reason: PinPending, message: waits, lastTransitionTime: "2025-01-01T11:50:00Z"',
      ),
    ),
    is: { status: "Suspended", message: "waits" },
  },
  {
    does: "a resource whose new manifests another one has yet to start is Suspended, and not stalled",
    head: "fairlead.dev/v1alpha1 Release",
    rest: conditions(
      condition("Stalled", "True", ", reason: DigestMismatch"),
      condition("Ready", "False", ", reason: DigestMismatch, message: waits"),
    ),
    is: { status: "Suspended", message: "waits" },
  },
  {
    does: "a custom resource that is not ready for a long time is Failed",
    head: "example.dev/v1 Widget",
    rest: conditions(condition("Ready", "False", ', lastTransitionTime: "2026-01-01T11:50:00Z"')),
    is: { status: "Failed" },
  },
  {
    does: "a custom resource of unknown readiness is in progress",
    head: "example.dev/v1 Widget",
    rest: conditions(condition("Ready", "Unknown")),
    is: { status: "InProgress" },
  },
  {
    does: "a custom resource that is stalled is Failed",
    head: "example.dev/v1 Widget",
    rest: conditions(
      condition("Ready", "False"),
      condition("Stalled", "True", ", reason: NoQuota, message: no quota"),
    ),
    is: { status: "Failed", reason: "NoQuota", message: "no quota" },
  },
  {
    does: "a custom resource that is being worked on is in progress, also when it was ready",
    head: "example.dev/v1 Widget",
    rest: conditions(condition("Ready", "True"), condition("Reconciling", "True")),
    is: { status: "InProgress" },
  },
  {
    does: "a status without a list of conditions is accepted",
    head: `example.dev/v1 Widget { ${old} }`,
    rest: "status: { conditions: none }",
    is: { status: "Current" },
  },
];

describe("assessHealth() of other kinds:", () => {
  test.for(cases)("$does", (one) => {
    expect(assess(one)).toMatchObject(one.is);
  });

  test("a clock that is behind the server's does not extend the period", () => {
    const health = assess({ head: 'example.dev/v1 Widget { creationTimestamp: "2026-01-01T13:00:00Z" }' });
    expect(health).toMatchObject({ status: "InProgress", recheckAfterMs: 60_000 });
  });
});
