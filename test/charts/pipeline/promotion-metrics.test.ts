import { describe, expect, test } from "vitest";
import { promotionMetrics } from "../../../charts/pipeline/promotion-metrics.ts";
import { Pipeline } from "../../../crds/pipeline.ts";
import { Promotion, type PromotionResource } from "../../../crds/promotion.ts";
import { aLiveObject } from "../../fakes/objects.ts";
import type { DeliveryWorld } from "./delivery-world.ts";
import { aShop, everywhere, hour, job } from "./stages.ts";

/** The samples of a Promotion, such as `fairlead_promotions_total result=passed 1`; namespace, pipeline and stage are left out. */
function samplesOf(promotion: PromotionResource): readonly string[] {
  return promotionMetrics.flatMap(({ name, samples }) =>
    samples(promotion).map(({ labels: { result }, value }) =>
      [name, ...(result === undefined ? [] : [`result=${result}`]), value].join(" "),
    ),
  );
}

const of = (world: DeliveryWorld, stage: string): readonly (readonly string[])[] =>
  world.promotions(stage).map(samplesOf);

const started = {
  ownerReferences: [
    { apiVersion: "fairlead.dev/v1alpha1", kind: "Pipeline", name: "shop", uid: "p", controller: true },
  ],
};
const aPromotion = (spec: object, status?: object, metadata: object = started): PromotionResource => {
  const whole = { pipeline: "shop", stage: "prod", revision: "1".repeat(40), ...spec };
  const fields = { spec: whole, ...(status && { status }) };
  return aLiveObject({ kind: Promotion, name: "shop-prod-1", metadata, fields }) as PromotionResource;
};
const at = "2026-01-01T01:00:00Z";

describe("the metrics of a Promotion", () => {
  test.for<{ does: string; promotion: PromotionResource; samples: readonly string[] }>([
    { does: "has no outcome", promotion: aPromotion({}), samples: [] },
    {
      does: "is superseded",
      promotion: aPromotion({}, { phase: "Superseded", supersededBy: "shop-prod-2" }),
      samples: [],
    },
    {
      does: "has passed",
      promotion: aPromotion({ committedAt: "2026-01-01T02:30:00+02:00" }, { passedAt: at }),
      samples: ["fairlead_promotions_total result=passed 1", "fairlead_promotion_lead_time_seconds 1800"],
    },
    {
      does: "has failed",
      promotion: aPromotion({ committedAt: "2026-01-01T00:00:00Z" }, { failedAt: at }),
      samples: ["fairlead_promotions_total result=failed 1"],
    },
    {
      does: "has passed after a failure",
      promotion: aPromotion({ failedSince: "2026-01-01T00:00:00Z" }, { passedAt: at }),
      samples: ["fairlead_promotions_total result=passed 1", "fairlead_stage_restore_seconds 3600"],
    },
    {
      does: "is an automatic rollback that has passed",
      promotion: aPromotion({ rollback: true, failedSince: "2026-01-01T00:59:00Z" }, { passedAt: at }),
      samples: ["fairlead_promotions_total result=rolled_back 1", "fairlead_stage_restore_seconds 60"],
    },
    {
      does: "is a request",
      promotion: aPromotion({ committedAt: at, failedSince: at }, { passedAt: at }, {}),
      samples: [],
    },
    {
      does: "has a commit with a future time",
      promotion: aPromotion({ committedAt: "2030-01-01T00:00:00Z" }, { passedAt: at }),
      samples: ["fairlead_promotions_total result=passed 1", "fairlead_promotion_lead_time_seconds 0"],
    },
  ])("that $does: $samples", ({ promotion, samples }) => {
    expect(samplesOf(promotion)).toEqual(samples);
  });

  test("are named by namespace, Pipeline and stage", () => {
    const promotion = aPromotion({ committedAt: at, failedSince: at }, { passedAt: at });
    const labels = promotionMetrics.flatMap(({ samples }) => samples(promotion).map((one) => one.labels));
    expect(labels).toEqual([
      { namespace: "shop", pipeline: "shop", stage: "prod", result: "passed" },
      { namespace: "shop", pipeline: "shop", stage: "prod" },
      { namespace: "shop", pipeline: "shop", stage: "prod" },
    ]);
  });

  test("have a series for each stage of each Pipeline, and none for a Pipeline without a spec", () => {
    const [outcomes, leadTime, restore] = promotionMetrics.map((metric) =>
      metric.type === "gauge" ? undefined : metric.series,
    );
    const fields = { spec: { stages: [{ name: "dev" }, { name: "prod" }] } };
    const pipeline = aLiveObject({ kind: Pipeline, name: "shop", fields });
    const stages = ["dev", "prod"].map((stage) => ({ namespace: "shop", pipeline: "shop", stage }));
    expect(leadTime?.of(pipeline)).toEqual(stages);
    expect(restore?.of(pipeline)).toEqual(stages);
    expect(outcomes?.of(pipeline)).toEqual(
      stages.flatMap((labels) =>
        ["passed", "failed", "rolled_back"].map((result) => ({ ...labels, result })),
      ),
    );
    expect(outcomes?.of(aLiveObject({ kind: Pipeline }))).toEqual([]);
  });
});

describe("the metrics of the Promotions of a stage", () => {
  const verify = { verify: [job()] };

  test("measure lead time once for a commit, from the commit to when it passed", () => {
    const world = aShop();
    const first = world.push(everywhere("1"));
    world.run(hour);
    world.request("again", { stage: "staging", revision: first, by: "ann" });
    world.run(hour);
    const lead = (samples: readonly string[]) => samples.filter((line) => line.includes("lead_time"));
    const [once = [], again = []] = of(world, "staging");
    expect(lead(once)).toHaveLength(1);
    // It includes the soak of ten minutes.
    expect(Number(lead(once)[0]?.split(" ")[1])).toBeGreaterThanOrEqual(600);
    expect(again).toEqual(["fairlead_promotions_total result=passed 1"]);
  });

  test("measure the time to restore from the first of several failures to the Promotion that passed", () => {
    const world = aShop({ staging: { pass: verify } });
    world.jobOutcome = ({ revision }) => (revision.endsWith("3") ? "Complete" : "Failed");
    world.push(everywhere("1"));
    world.run(hour);
    world.push(everywhere("2"));
    world.run(hour);
    const failedSince = world.stage("staging").failedSince ?? "";
    expect(world.promotions("staging").map(({ status }) => status?.phase)).toEqual(["Failed", "Failed"]);
    expect(failedSince).toBe(world.promotions("staging")[0]?.status?.failedAt);
    world.push(everywhere("3"));
    world.run(hour);
    const [first, second, third] = of(world, "staging");
    const failed = ["fairlead_promotions_total result=failed 1"];
    expect([first, second]).toEqual([failed, failed]);
    const passedAt = world.promotions("staging")[2]?.status?.passedAt ?? "";
    const restored = (Date.parse(passedAt) - Date.parse(failedSince)) / 1_000;
    expect(restored).toBeGreaterThan(3_600);
    expect(third).toContain(`fairlead_stage_restore_seconds ${restored}`);
    expect(world.stage("staging")).not.toHaveProperty("failedSince");
    // A stage that has not failed has no time to restore.
    expect(of(world, "dev").flat().join()).not.toContain("restore");
  });

  test("do not count an automatic rollback as a deployment, and count its end as the restoration", () => {
    const world = aShop({ staging: { pass: verify, onFailure: "RollBack" } });
    world.jobOutcome = ({ revision }) => (revision.endsWith("2") ? "Failed" : "Complete");
    world.push(everywhere("1"));
    world.run(hour);
    world.push(everywhere("2"));
    world.run(hour);
    const [, failed, rollback] = world.promotions("staging").map(({ status }) => status);
    const seconds = (Date.parse(rollback?.passedAt ?? "") - Date.parse(failed?.failedAt ?? "")) / 1_000;
    expect(of(world, "staging")[2]).toEqual([
      "fairlead_promotions_total result=rolled_back 1",
      `fairlead_stage_restore_seconds ${seconds}`,
    ]);
  });
});
