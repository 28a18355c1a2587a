import { expect, test } from "vitest";
import { foldPromotion } from "../../../charts/pipeline/fold-promotion.ts";
import { verificationJobName } from "../../../charts/pipeline/verification-jobs.ts";
import { Job } from "../../../crds/core-kinds.ts";
import type { LiveObject } from "../../../crds/object.ts";
import { Pipeline } from "../../../crds/pipeline.ts";
import type { Verification } from "../../../crds/pipeline-stage.ts";
import { Promotion, type PromotionResource } from "../../../crds/promotion.ts";
import { aLiveObject } from "../../fakes/objects.ts";
import { observe } from "../../fakes/observed.ts";
import { job } from "./stages.ts";
import { aClock } from "./wall-clock.ts";

test("a Job counts only for the Promotion that controls it, whatever its name and labels are", () => {
  const verification = job("e2e") as Verification;
  const stages = [{ name: "prod", releases: [], pass: { verify: [verification] } }];
  const pipeline = aLiveObject({ kind: Pipeline, name: "shop", fields: { spec: { stages } } });
  const controlledBy = (kind: string, uid: string) => ({
    ownerReferences: [{ apiVersion: "fairlead.dev/v1alpha1", kind, name: "shop", uid, controller: true }],
  });
  const promotion = aLiveObject({
    kind: Promotion,
    name: "shop-prod-1",
    uid: "own",
    metadata: controlledBy("Pipeline", pipeline.metadata.uid),
    fields: { spec: { pipeline: "shop", stage: "prod", number: 1, revision: "1", releases: [] } },
  }) as PromotionResource;
  const name = verificationJobName(promotion.metadata, verification);
  const ended = [{ type: "Complete", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" }];
  const verifiedBy = (metadata: Partial<LiveObject["metadata"]>) => {
    const labels = { "fairlead.dev/set": "the set of the Promotion" };
    const live = aLiveObject({
      kind: Job,
      name,
      labels,
      metadata,
      fields: { status: { conditions: ended } },
    });
    const input = { observed: observe(pipeline, live), clock: aClock("2026-01-01T01:00:00Z") };
    return foldPromotion({}, { resource: promotion, ...input }).verifications;
  };
  expect(verifiedBy({})).toBeUndefined();
  expect(verifiedBy(controlledBy("Promotion", "another"))).toBeUndefined();
  expect(verifiedBy(controlledBy("Promotion", "own"))).toMatchObject([{ job: name, outcome: "Passed" }]);
});
