import { describe, expect, test } from "vitest";
import { type AcceptedWrite, readAcceptedWrites } from "../../../../rig/faults/pipelines/accepted-writes.ts";
import { checkWrites } from "../../../../rig/faults/pipelines/check-writes.ts";
import type { StageName } from "../../../../rig/faults/pipelines/points.ts";

const [first, second] = ["1".repeat(40), "2".repeat(40)];
const commits = new Map([
  [first, { dev: 1, staging: 1, prod: 1 }],
  // It changes prod alone.
  [second, { dev: 1, staging: 1, prod: 2 }],
]);
const approved = new Map([
  ["approval-1", "prod-1"],
  ["approval-2", "prod-2"],
]);

const write = (resource: string, name: string, more: Partial<AcceptedWrite> = {}): AcceptedWrite => ({
  ...{ at: "", isByOperator: true, resource, name, isCreation: false, body: {} },
  ...more,
});
const created = (stage: StageName, number: number, revision: string, more: object = {}): AcceptedWrite => {
  const digest = `${stage}-${commits.get(revision)?.[stage]}`;
  const releases = [{ name: stage, namespace: "shop", digest }];
  const spec = { pipeline: "shop", stage, revision, digest, releases, number, attempt: 1, ...more };
  return write("promotions", `shop-${stage}-${number}`, { isCreation: true, body: { spec } });
};
const pinned = (stage: StageName, revision: string): AcceptedWrite =>
  write("releases", stage, {
    body: { spec: { revision, digest: `${stage}-${commits.get(revision)?.[stage]}` } },
  });
const passed = (name: string, second: number, more: object = {}): AcceptedWrite =>
  write("promotions/status", name, { body: { status: { passedAt: instant(second), ...more } } });
const byUser = (resource: string, name: string): AcceptedWrite =>
  write(resource, name, { isByOperator: false, isCreation: true });
const job = (name: string, uid: string): AcceptedWrite =>
  write("jobs", name, { isCreation: true, body: { metadata: { ownerReferences: [{ uid }] } } });
const instant = (second: number): string => new Date(Date.UTC(2026, 0, 1) + second * 1_000).toISOString();

const verifications = [{ name: "e2e", job: "job-1", outcome: "Passed", finishedAt: instant(7) }];
/** A commit that goes through all stages, and one that changes prod alone. Each has the second of its place. */
const history = {
  dev: created("dev", 1, first),
  devPin: pinned("dev", first),
  devPassed: passed("shop-dev-1", 3),
  staging: created("staging", 1, first),
  stagingPin: pinned("staging", first),
  job: job("job-1", "uid-1"),
  verified: write("promotions/status", "shop-staging-1", { body: { status: { verifications } } }),
  stagingPassed: passed("shop-staging-1", 8),
  approval: byUser("approvals", "approval-1"),
  prod: created("prod", 1, first),
  prodPin: pinned("prod", first),
  prodPassed: passed("shop-prod-1", 11),
  approval2: byUser("approvals", "approval-2"),
  prod2: created("prod", 2, second),
  prodPin2: pinned("prod", second),
  prodPassed2: passed("shop-prod-2", 15),
  request: byUser("promotions", "back-1"),
  back: created("prod", 3, first, { attempt: 2, request: { name: "back-1" }, provenBy: "shop-prod-1" }),
  backPin: pinned("prod", first),
};
type Step = keyof typeof history;

const check = (steps: readonly AcceptedWrite[]) =>
  checkWrites({
    writes: steps.map((one, index) => ({ ...one, at: instant(index) })),
    ...{ commits, approved, soakMs: 2_000 },
  });
/** The history with a step moved to the end, left out, or changed. */
const without = (step: Step): readonly AcceptedWrite[] =>
  Object.entries(history).flatMap(([name, one]) => (name === step ? [] : [one]));
const late = (step: Step): readonly AcceptedWrite[] => [...without(step), history[step]];
const changed = (step: Step, body: object): readonly AcceptedWrite[] =>
  Object.values({ ...history, [step]: { ...history[step], body } });

describe("checkWrites()", () => {
  test("reports no violation for actions in the correct order", () => {
    expect(check(Object.values(history))).toEqual([]);
  });

  test.for<readonly [string, readonly AcceptedWrite[], string]>([
    [
      "a second Promotion of the same attempt",
      [...Object.values(history), { ...created("dev", 2, first), name: "other" }],
      "Promotion of dev to digest dev-1, attempt 1 was created 2 times",
    ],
    [
      "a second Promotion of the same number",
      [...Object.values(history), created("dev", 1, first, { attempt: 2 })],
      "Promotion 1 of dev was created 2 times",
    ],
    [
      "a second Job of a Promotion",
      [...Object.values(history), job("job-2", "uid-1")],
      "uid uid-1 was created",
    ],
    [
      "a Job that is created again",
      [...Object.values(history), job("job-1", "uid-9")],
      "Job job-1 was created 2",
    ],
    ["a stage that is skipped", late("devPassed"), "shop-staging-1 was created before dev had passed"],
    [
      "a stage that has not passed",
      late("stagingPassed"),
      "shop-prod-1 was created before staging had passed",
    ],
    ["an Approval that is missing", without("approval"), "shop-prod-1 was created without an Approval"],
    ["an Approval that comes later", late("approval2"), "shop-prod-2 was created without an Approval"],
    ["a request that comes later", late("request"), "shop-prod-3 was created before its request back-1"],
    ["a pin before its Promotion", late("prod"), "Release prod was pinned to 1111"],
    [
      "a pin to another digest",
      changed("prodPin2", { spec: { revision: second, digest: "prod-1" } }),
      "Release prod was pinned to 2222",
    ],
    ["a Job that was not created", without("job"), "shop-staging-1 passed without its Job"],
    ["a verification that is not on record", without("verified"), "shop-staging-1 passed without its Job"],
    [
      "a verification that failed",
      changed("verified", { status: { verifications: [{ ...verifications[0], outcome: "Failed" }] } }),
      "shop-staging-1 passed without its Job",
    ],
    [
      "a soak that is too short",
      changed("stagingPassed", { status: { passedAt: instant(4) } }),
      "shop-staging-1 passed 0 ms after its pin",
    ],
    [
      "a failure",
      changed("prodPassed2", { status: { failedAt: instant(1), message: "why" } }),
      "failed: why",
    ],
  ])("reports %s", ([, steps, complaint]) => {
    expect(check(steps).join("\n")).toContain(complaint);
    expect(check(steps)).not.toEqual([]);
  });
});

describe("readAcceptedWrites()", () => {
  const request = (more: object = {}) => ({
    ...{ auditID: "a.1", verb: "patch", requestURI: "/apis/x", user: { username: "operator" } },
    requestReceivedTimestamp: "2026-01-01T00:00:02.000000Z",
    stageTimestamp: "2026-01-01T00:00:02.100000Z",
    objectRef: { resource: "promotions", subresource: "status", name: "shop-dev-1" },
    responseStatus: { code: 200 },
    ...more,
  });

  test("contains the changes in the order of the requests, with the bodies that the operator sent", () => {
    const earlier = request({
      ...{ auditID: "u", user: { username: "admin" }, responseStatus: { code: 201 } },
      ...{
        requestReceivedTimestamp: "2026-01-01T00:00:01.000000Z",
        objectRef: { resource: "approvals", name: "ok" },
      },
    });
    expect(readAcceptedWrites([request(), earlier], new Map([["a.1", '{"status":{}}']]))).toEqual([
      {
        ...{ at: "2026-01-01T00:00:01.000000Z", isByOperator: false, resource: "approvals", name: "ok" },
        ...{ isCreation: true, body: undefined },
      },
      {
        ...{ at: "2026-01-01T00:00:02.000000Z", isByOperator: true, resource: "promotions/status" },
        ...{ name: "shop-dev-1", isCreation: false, body: { status: {} } },
      },
    ]);
  });

  test("omits requests that were reads, rejected, unanswered, or dry runs", () => {
    const others = [
      request({ verb: "watch" }),
      request({ responseStatus: { code: 409 } }),
      request({ responseStatus: undefined }),
      request({ requestURI: "/apis/x?dryRun=All" }),
    ];
    expect(readAcceptedWrites(others, new Map())).toEqual([]);
  });
});
