import { ApiObject, Chart } from "cdk8s";
import type { Construct } from "constructs";
import { childLabels } from "../constructs/child-labels.ts";
import { echoJobSpec, keepEchoJobSpec } from "../constructs/echo-job-template.ts";
import type { ChartProps } from "../crds/binding.ts";
import { Job } from "../crds/core-kinds.ts";
import { Echo, type EchoResource } from "../crds/echo.ts";
import { jobName } from "../crds/names.ts";

/** An Echo's Job. */
export class EchoChart extends Chart {
  constructor(scope: Construct, id: string, { resource, observed }: ChartProps<EchoResource>) {
    const labels = childLabels(Echo, resource);
    super(scope, id, { labels });
    const { name, namespace } = resource.metadata;
    const { message } = resource.spec;
    const live = observed.find(Job, jobName(name));
    new ApiObject(this, "job", {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: jobName(name) },
      spec: keepEchoJobSpec(live, message) ?? echoJobSpec({ name, namespace, message, labels }),
    });
  }
}
