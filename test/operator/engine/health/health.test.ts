import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { LiveObject } from "../../../../crds/object.ts";
import {
  assessHealth,
  countsAsHealthy,
  type HealthStatus,
} from "../../../../operator/engine/health/health.ts";

/** Every case is judged at noon. */
const nowMs = Date.parse("2026-01-01T12:00:00Z");

interface Case {
  readonly yaml: string;
  readonly is: HealthStatus;
  readonly says?: string;
  readonly because?: string;
  readonly recheckAfterMs?: number;
}

function assess(yaml: string) {
  const object = parse(yaml);
  const metadata = { name: "web", namespace: "shop", uid: "1", resourceVersion: "1", ...object.metadata };
  return assessHealth({ ours: true, ...object, metadata } as LiveObject, { nowMs });
}

function check(cases: Readonly<Record<string, Case>>): void {
  test.for(Object.entries(cases))("%s", ([, { yaml, is, says, because, recheckAfterMs }]) => {
    const health = assess(yaml);
    expect(health).toMatchObject({ status: is, ...(says !== undefined && { message: says }) });
    if (because !== undefined) expect(health.reason).toBe(because);
    expect(health.recheckAfterMs).toBe(recheckAfterMs);
  });
}

const deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: { generation: 2 }";
const statefulSet = "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: { generation: 1 }";
const daemonSet = "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: { generation: 1 }";

describe("assessHealth() of a Deployment", () => {
  check({
    "without a status is in progress": { yaml: deployment, is: "InProgress", because: "Unobserved" },
    "whose controller has not seen the edit is in progress": {
      yaml: `${deployment}\nspec: { replicas: 0 }\nstatus: { observedGeneration: 1 }`,
      is: "InProgress",
      because: "Unobserved",
    },
    "with old pods only is in progress": {
      yaml: `${deployment}\nspec: { replicas: 3 }\nstatus: { observedGeneration: 2, replicas: 3, updatedReplicas: 1, availableReplicas: 3 }`,
      is: "InProgress",
      says: "1 of 3 pods up to date and available",
    },
    "with old pods left over is in progress": {
      yaml: `${deployment}\nspec: { replicas: 1 }\nstatus: { observedGeneration: 2, replicas: 2, updatedReplicas: 1, availableReplicas: 1 }`,
      is: "InProgress",
      says: "1 old pod to be deleted",
    },
    "with pods that are not available is in progress": {
      yaml: `${deployment}\nspec: { replicas: 3 }\nstatus: { observedGeneration: 2, replicas: 3, updatedReplicas: 3, availableReplicas: 2 }`,
      is: "InProgress",
      says: "2 of 3 pods up to date and available",
    },
    "with everything available is Current": {
      yaml: `${deployment}\nspec: { replicas: 3 }\nstatus: { observedGeneration: 2, replicas: 3, updatedReplicas: 3, availableReplicas: 3 }`,
      is: "Current",
      says: "3 pods available",
    },
    "without a replica count has one pod": {
      yaml: `${deployment}\nspec: {}\nstatus: { observedGeneration: 2, replicas: 1, updatedReplicas: 1, availableReplicas: 1 }`,
      is: "Current",
      says: "1 pod available",
    },
    "scaled to zero is Current": {
      yaml: `${deployment}\nspec: { replicas: 0 }\nstatus: { observedGeneration: 2 }`,
      is: "Current",
    },
    "whose deadline has passed is Failed": {
      yaml: `${deployment}\nspec: { replicas: 2 }\nstatus: { observedGeneration: 2, replicas: 2, updatedReplicas: 2, conditions: [{ type: Progressing, status: "False", reason: ProgressDeadlineExceeded }] }`,
      is: "Failed",
      because: "DeadlineExceeded",
      says: "0 of 2 pods up to date and available, and its progress deadline has passed",
    },
    "whose pods a quota refuses says so": {
      yaml: `${deployment}\nspec: { replicas: 1 }\nstatus: { observedGeneration: 2, updatedReplicas: 1, conditions: [{ type: ReplicaFailure, status: "True", reason: FailedCreate, message: exceeded quota }] }`,
      is: "InProgress",
      says: "0 of 1 pod up to date and available; exceeded quota",
    },
    "that is paused is Suspended": {
      yaml: `${deployment}\nspec: { replicas: 2, paused: true }\nstatus: { observedGeneration: 2, replicas: 2, updatedReplicas: 0, availableReplicas: 2 }`,
      is: "Suspended",
    },
    "on its way out is Terminating": {
      yaml: `${deployment.replace("generation: 2", 'generation: 2, deletionTimestamp: "2026-01-01T11:00:00Z"')}`,
      is: "Terminating",
    },
  });
});

describe("assessHealth() of a ReplicaSet", () => {
  const replicaSet = "apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: { generation: 1 }";
  check({
    "with everything available is Current": {
      yaml: `${replicaSet}\nspec: { replicas: 1 }\nstatus: { observedGeneration: 1, replicas: 1, availableReplicas: 1 }`,
      is: "Current",
    },
    "with too few is in progress": {
      yaml: `${replicaSet}\nspec: { replicas: 1 }\nstatus: { observedGeneration: 1 }`,
      is: "InProgress",
    },
    "with too many is in progress": {
      yaml: `${replicaSet}\nspec: { replicas: 1 }\nstatus: { observedGeneration: 1, replicas: 3, availableReplicas: 1 }`,
      is: "InProgress",
      says: "2 pods to be deleted",
    },
    "that may not make pods is Failed": {
      yaml: `${replicaSet}\nspec: { replicas: 1 }\nstatus: { observedGeneration: 1, conditions: [{ type: ReplicaFailure, status: "True", reason: FailedCreate, message: exceeded quota }] }`,
      is: "Failed",
      because: "FailedCreate",
      says: "0 of 1 pod available; exceeded quota",
    },
  });
});

describe("assessHealth() of a StatefulSet", () => {
  check({
    "with everything ready and updated is Current": {
      yaml: `${statefulSet}\nspec: { replicas: 2 }\nstatus: { observedGeneration: 1, replicas: 2, readyReplicas: 2, availableReplicas: 2, currentRevision: a, updateRevision: a }`,
      is: "Current",
    },
    "that starts one pod after the other is in progress": {
      yaml: `${statefulSet}\nspec: { replicas: 3 }\nstatus: { observedGeneration: 1, replicas: 1, readyReplicas: 1, currentRevision: a, updateRevision: a }`,
      is: "InProgress",
      says: "1 of 3 pods ready",
    },
    "with old pods is in progress": {
      yaml: `${statefulSet}\nspec: { replicas: 2 }\nstatus: { observedGeneration: 1, replicas: 2, readyReplicas: 2, updatedReplicas: 1, currentRevision: a, updateRevision: b }`,
      is: "InProgress",
      says: "1 of 2 pods updated",
    },
    "updated as far as its partition is Current": {
      yaml: `${statefulSet}\nspec: { replicas: 2, updateStrategy: { type: RollingUpdate, rollingUpdate: { partition: 1 } } }\nstatus: { observedGeneration: 1, replicas: 2, readyReplicas: 2, updatedReplicas: 1, currentRevision: a, updateRevision: b }`,
      is: "Current",
    },
    "whose pods people update is Current with old ones": {
      yaml: `${statefulSet}\nspec: { replicas: 2, updateStrategy: { type: OnDelete } }\nstatus: { observedGeneration: 1, replicas: 2, readyReplicas: 2, currentRevision: a, updateRevision: b }`,
      is: "Current",
    },
    "whose pods people update must be ready all the same": {
      yaml: `${statefulSet}\nspec: { replicas: 2, updateStrategy: { type: OnDelete } }\nstatus: { observedGeneration: 1, replicas: 2, readyReplicas: 1 }`,
      is: "InProgress",
    },
  });
});

describe("assessHealth() of a DaemonSet", () => {
  check({
    "available on every node is Current": {
      yaml: `${daemonSet}\nstatus: { observedGeneration: 1, desiredNumberScheduled: 2, updatedNumberScheduled: 2, numberAvailable: 2 }`,
      is: "Current",
    },
    "that no node matches is Current": {
      yaml: `${daemonSet}\nstatus: { observedGeneration: 1 }`,
      is: "Current",
    },
    "with old pods is in progress": {
      yaml: `${daemonSet}\nstatus: { observedGeneration: 1, desiredNumberScheduled: 2, updatedNumberScheduled: 1, numberAvailable: 2 }`,
      is: "InProgress",
      says: "up to date and available on 1 of 2 nodes",
    },
    "with a node missing is in progress": {
      yaml: `${daemonSet}\nstatus: { observedGeneration: 1, desiredNumberScheduled: 2, updatedNumberScheduled: 2, numberAvailable: 1 }`,
      is: "InProgress",
      says: "up to date and available on 1 of 2 nodes",
    },
    "without a status is in progress": { yaml: daemonSet, is: "InProgress" },
  });
});

describe("assessHealth() of a missing object", () => {
  test("is NotFound", () => expect(assessHealth(undefined, { nowMs }).status).toBe("NotFound"));
});

test("countsAsHealthy() is true for healthy and for suspended objects", () => {
  const all = ["Current", "InProgress", "Failed", "Suspended", "Terminating", "NotFound"] as const;
  expect(all.filter((status) => countsAsHealthy({ status }))).toEqual(["Current", "Suspended"]);
});
