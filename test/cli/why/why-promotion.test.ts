import { describe, expect, test } from "vitest";
import { promotion as binding } from "../../../charts/bindings-delivery.ts";
import { formatWhy } from "../../../cli/why/format-why.ts";
import { whyPromotion } from "../../../cli/why/why-promotion.ts";
import type { KubernetesObject } from "../../../crds/object.ts";
import { Pipeline } from "../../../crds/pipeline.ts";
import { builtInShapeOf } from "../../../operator/engine/kind-shapes.ts";
import { condition } from "../release/a-release.ts";
import { aSession, someCommands } from "./a-session.ts";

const [revision, digest] = ["2".repeat(40), "b".repeat(32)];
const root = "/apis/fairlead.dev/v1alpha1/namespaces/shop";
const until = "2026-11-23T12:11:00Z";

const pipeline = {
  apiVersion: "fairlead.dev/v1alpha1",
  kind: "Pipeline",
  metadata: { name: "shop", namespace: "shop", uid: "p-1", resourceVersion: "1" },
  spec: Pipeline.spec.parse({
    source: { url: "https://git.test/shop.git" },
    stages: [{ name: "dev", releases: [{ name: "web" }], pass: { soak: "10m" } }],
  }),
  status: { stages: [{ name: "dev", phase: "Proving" }] },
};

/** A Release that runs the commit of the Promotion. */
function aRelease(healthySince: string | undefined) {
  const status = healthySince === undefined ? "False" : "True";
  const since = "2026-11-23T12:00:00Z";
  const ready = { status, reason: "Progressing", message: "1 of 3 ready", observedGeneration: 2 };
  return {
    apiVersion: "fairlead.dev/v1alpha1",
    kind: "Release",
    metadata: {
      ...{ name: "web", namespace: "shop", uid: "r-1", resourceVersion: "1", generation: 2 },
      managedFields: [
        {
          manager: "fairlead/pipelines.fairlead.dev/shop/shop",
          operation: "Apply",
          fieldsV1: { "f:spec": { "f:revision": {} } },
        },
      ],
    },
    spec: { source: { ref: { pipeline: "shop", stage: "dev" } }, revision, digest },
    status: {
      deployed: { revision, digest, generation: 2, since, ...(healthySince && { healthySince }) },
      conditions: ["Ready", "Healthy"].map((type) => ({ type, ...ready })),
    },
  };
}

function aPromotion(status?: object) {
  const releases = [{ name: "web", namespace: "shop", digest }];
  return {
    apiVersion: "fairlead.dev/v1alpha1",
    kind: "Promotion",
    metadata: {
      ...{ name: "shop-dev-2", namespace: "shop", uid: "p-2", resourceVersion: "1", generation: 1 },
      creationTimestamp: "2026-11-23T12:00:00Z",
      ownerReferences: [
        { apiVersion: "fairlead.dev/v1alpha1", kind: "Pipeline", name: "shop", uid: "p-1", controller: true },
      ],
    },
    spec: { pipeline: "shop", stage: "dev", revision, digest, number: 2, releases },
    ...(status && { status }),
  };
}

const explain = (
  {
    healthySince,
    status,
    at = "2026-11-23T12:05:00Z",
  }: { healthySince?: string; status?: object; at?: string },
  forbidden: readonly string[] = [],
) => {
  const there = {
    [`${root}/pipelines/shop`]: pipeline,
    [`${root}/releases/web`]: aRelease(healthySince),
  } as unknown as Record<string, KubernetesObject>;
  return whyPromotion(aPromotion(status) as never, {
    ...{ session: aSession(there, { forbidden }), binding, nowMs: Date.parse(at), commands: someCommands },
    shapeOf: builtInShapeOf,
  });
};

describe("whyPromotion()", () => {
  test("says until when a Promotion without a status soaks", async () => {
    const report = await explain({ healthySince: "2026-11-23T12:01:00Z" });
    expect(report.title).toBe("Promotion shop/shop-dev-2 is being proven");
    expect(report.waits).toEqual([{ on: "Proving", message: `soaking for 10m, until ${until}`, until }]);
    expect(report.next).toEqual([]);
    const lines = formatWhy(report);
    expect(lines).toContain(`- Proving: soaking for 10m, until ${until}`);
    expect(lines).not.toContain(`  until ${until}`);
  });

  test("names the Release that is in the way, instead of what the status says", async () => {
    const old = condition("Ready", "False", { reason: "Progressing", message: "0 of 3 ready" });
    const status = { observedGeneration: 1, phase: "Proving", waiting: "0 of 3 ready", conditions: [old] };
    const { waits } = await explain({ status });
    expect(waits).toEqual([
      { on: "Proving", message: 'Release "shop/web" is not healthy: 1 of 3 ready', until: undefined },
    ]);
  });

  test("waits for the operator when the soak is over and no outcome is recorded", async () => {
    const { waits } = await explain({ healthySince: "2026-11-23T12:01:00Z", at: "2026-11-23T12:20:00Z" });
    expect(waits).toMatchObject([{ on: "Operator" }]);
  });

  test("adds nothing to an outcome", async () => {
    const done = condition("Ready", "True");
    const status = { observedGeneration: 1, phase: "Passed", passedAt: until, conditions: [done] };
    const report = await explain({ status }, [`${root}/pipelines/shop`]);
    expect(report.waits).toEqual([]);
    expect(report.unknown.filter((text) => text.startsWith("What it waits for"))).toEqual([]);
  });

  test("says which rights are missing", async () => {
    const { unknown } = await explain({}, [`${root}/pipelines/shop`]);
    expect(unknown).toContainEqual(expect.stringMatching(/^What it waits for: /));
    expect((await explain({}, [`${root}/releases`])).unknown).toContainEqual(
      "What it waits for: no Release of its Pipeline can be read",
    );
  });
});
