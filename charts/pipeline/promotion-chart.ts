import { ApiObject, Chart } from "cdk8s";
import type { Construct } from "constructs";
import type { ChartProps } from "../../crds/binding.ts";
import type { KindContext } from "../../crds/kind-context.ts";
import type { PromotionRecord, PromotionResource } from "../../crds/promotion.ts";
import { dueVerifications } from "./due-verifications.ts";
import { verificationJob } from "./verification-jobs.ts";

/** Contains the Jobs that verify a stage. */
export class PromotionChart extends Chart {
  constructor(
    scope: Construct,
    id: string,
    { resource, observed, record, clock }: ChartProps<PromotionResource, KindContext<PromotionRecord>>,
  ) {
    super(scope, id);
    for (const { name, verification } of dueVerifications(resource, { observed, record, clock })) {
      const { metadata, ...job } = verificationJob(verification);
      new ApiObject(this, `job-${verification.name}`, { ...job, metadata: { ...metadata, name } });
    }
  }
}
