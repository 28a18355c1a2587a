import { describe, expect, test } from "vitest";
import { assess, type HealthCase } from "../../../fakes/health-cases.ts";

const annotated = (value: string): string =>
  `autoscaling/v1 HorizontalPodAutoscaler { annotations: { autoscaling.alpha.kubernetes.io/conditions: '${value}' } }`;
const list = (...all: readonly string[]): string => `[${all.join(", ")}]`;
const json = (type: string, status: string, more = ""): string =>
  `{"type": "${type}", "status": "${status}"${more}}`;
/** The API server includes these zeros in v1 before the controller has observed the object. */
const zeros = "status: { currentReplicas: 0, desiredReplicas: 0 }";
const able = json("AbleToScale", "True");

const cases: readonly HealthCase[] = [
  {
    does: "an active autoscaler is Current",
    head: annotated(list(able, json("ScalingActive", "True"))),
    rest: zeros,
    is: { status: "Current" },
  },
  {
    does: "an autoscaler without target is Failed",
    head: annotated(
      list(json("AbleToScale", "False", ', "reason": "FailedGetScale", "message": "not found"')),
    ),
    is: { status: "Failed", reason: "FailedGetScale", message: "not found" },
  },
  {
    does: "an autoscaler without metrics is in progress at first",
    head: annotated(
      list(
        able,
        json(
          "ScalingActive",
          "False",
          ', "reason": "FailedGetResourceMetric", "lastTransitionTime": "2026-01-01T11:59:00Z"',
        ),
      ),
    ),
    is: { status: "InProgress", reason: "FailedGetResourceMetric", recheckAfterMs: 60_000 },
  },
  {
    does: "an unobserved autoscaler is in progress",
    head: "autoscaling/v1 HorizontalPodAutoscaler",
    rest: zeros,
    is: { status: "InProgress", reason: "Unobserved" },
  },
  {
    does: "an autoscaler that reports replicas without conditions is Current",
    head: "autoscaling/v1 HorizontalPodAutoscaler",
    rest: "status: { currentReplicas: 1, desiredReplicas: 1 }",
    is: { status: "Current" },
  },
  {
    does: "an autoscaler that reports a generation without conditions is Current",
    head: "autoscaling/v1 HorizontalPodAutoscaler",
    rest: "status: { observedGeneration: 1, currentReplicas: 0, desiredReplicas: 0 }",
    is: { status: "Current" },
  },
  {
    does: "an annotation that is not JSON counts as none",
    head: annotated('[{"type": "AbleToScale"'),
    rest: zeros,
    is: { status: "InProgress", reason: "Unobserved" },
  },
  {
    does: "an annotation that is not a list counts as none",
    head: annotated(able),
    rest: "status: { currentReplicas: 1, desiredReplicas: 1 }",
    is: { status: "Current" },
  },
  {
    does: "fields that are not texts count as absent",
    head: annotated(
      list("null", "1", json("AbleToScale", "False", ', "reason": "FailedGetScale", "message": {}')),
    ),
    is: { status: "Failed", message: "cannot scale its target" },
  },
];

describe("assessAutoscaler() in version autoscaling/v1:", () => {
  test.for(cases)("$does", (one) => {
    expect(assess(one)).toMatchObject(one.is);
  });
});
