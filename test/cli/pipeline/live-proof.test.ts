import { describe, expect, test } from "vitest";
import { readReleasesOf, withLiveProofs } from "../../../cli/pipeline/live-proof.ts";
import type { PromotionObject } from "../../../cli/pipeline/pipeline-text.ts";
import type { StoredObject } from "../../../cli/release/api-client.ts";
import { Pipeline } from "../../../crds/pipeline.ts";
import { aPipeline, newer, older } from "./a-pipeline.ts";

const nowMs = Date.parse("2026-11-23T12:05:00Z");
const digest = "b".repeat(32);

/** A Release of stage `dev` that runs the newer commit. */
function aRelease(healthySince: string | undefined): StoredObject {
  const status = healthySince === undefined ? "False" : "True";
  const since = "2026-11-23T12:00:00Z";
  const message = "Deployment web: 1 of 3 ready";
  const condition = (type: string) => ({
    type,
    status,
    reason: "Progressing",
    message,
    observedGeneration: 2,
  });
  return {
    apiVersion: "fairlead.dev/v1alpha1",
    kind: "Release",
    metadata: {
      ...{ name: "web-dev", namespace: "shop", uid: "r-1", generation: 2 },
      managedFields: [
        {
          manager: "fairlead/pipelines.fairlead.dev/shop.shop",
          operation: "Apply",
          fieldsV1: { "f:spec": { "f:revision": {} } },
        },
      ],
    } as StoredObject["metadata"],
    spec: { source: { ref: { pipeline: "shop", stage: "dev" } }, revision: newer, digest },
    status: {
      deployed: { revision: newer, digest, generation: 2, since, ...(healthySince && { healthySince }) },
      conditions: [condition("Ready"), condition("Healthy")],
    },
  };
}

const plain = aPipeline({ isWaiting: false });
const pipeline = {
  ...plain,
  spec: Pipeline.spec.parse({
    ...plain.spec,
    stages: [{ name: "dev", releases: [{ name: "web-dev" }], pass: { soak: "10m" } }],
  }),
  status: {
    ...plain.status,
    stages: [
      {
        ...{ name: "dev", phase: "Proving" as const, running: { revision: older, proven: true } },
        promotion: { name: "shop-dev-2", number: 2, revision: newer, digest },
      },
    ],
  },
};
const promotion: PromotionObject = {
  metadata: { name: "shop-dev-2", uid: "p-2", creationTimestamp: "2026-11-23T12:00:00Z" },
  spec: {
    ...{ pipeline: "shop", stage: "dev", revision: newer, digest, number: 2 },
    releases: [{ name: "web-dev", namespace: "shop", digest }],
  },
};
const live = (releases: readonly StoredObject[], one = promotion) => {
  const shown = withLiveProofs({ pipeline, promotions: [one] }, releases, { nowMs });
  return { status: shown.promotions[0]?.status, running: shown.pipeline.status?.stages?.[0]?.running };
};

describe("withLiveProofs()", () => {
  test("adds until when a Promotion without a status soaks, and what its stage runs", () => {
    const until = "2026-11-23T12:11:00Z";
    expect(live([aRelease("2026-11-23T12:01:00Z")])).toEqual({
      status: { phase: "Proving", waiting: `soaking for 10m, until ${until}`, until },
      running: { revision: newer, proven: false },
    });
  });

  test("names the Release that is in the way, instead of what the status has", () => {
    const status = { phase: "Proving", waiting: "soaks", until: "2026-11-23T12:11:00Z" } as const;
    expect(live([aRelease(undefined)], { ...promotion, status }).status).toEqual({
      phase: "Proving",
      waiting: 'Release "shop/web-dev" is not healthy: Deployment web: 1 of 3 ready',
    });
  });

  test("adds nothing to an outcome, to a request, and where no Release can be read", () => {
    const healthy = [aRelease("2026-11-23T12:01:00Z")];
    const status = { phase: "Passed" } as const;
    expect(live(healthy, { ...promotion, status }).status).toBe(status);
    const { number: _, ...spec } = promotion.spec;
    expect(live(healthy, { ...promotion, spec }).status).toBeUndefined();
    expect(live([])).toEqual({ status: undefined, running: { revision: older, proven: true } });
  });
});

describe("readReleasesOf()", () => {
  const client = {
    list: async (_kind: unknown, { namespace = "" }) => {
      if (namespace !== "shop") throw new Error("forbidden");
      return [aRelease(undefined)];
    },
  };

  test("reads the namespaces that may be read, while a stage proves something", async () => {
    const stages = [{ name: "dev", releases: [{ name: "web-dev" }, { name: "api", namespace: "apis" }] }];
    const wider = { ...pipeline, spec: Pipeline.spec.parse({ ...pipeline.spec, stages }) };
    expect(await readReleasesOf(wider, client)).toHaveLength(1);
    expect(await readReleasesOf(plain, client)).toEqual([]);
  });
});
