import { ApiObject, Chart } from "cdk8s";
import type { Construct } from "constructs";
import { childLabels } from "../constructs/child-labels.ts";
import { echoJobSpec, echoTemplateMetadata } from "../constructs/echo-job-template.ts";
import type { ChartProps } from "../crds/binding.ts";
import { cronJobName } from "../crds/names.ts";
import { ScheduledEcho, type ScheduledEchoResource } from "../crds/scheduled-echo.ts";

/** A ScheduledEcho's CronJob. All of its fields may be changed in place, also if another operator created it. */
export class ScheduledEchoChart extends Chart {
  constructor(scope: Construct, id: string, { resource }: ChartProps<ScheduledEchoResource>) {
    const labels = childLabels(ScheduledEcho, resource);
    super(scope, id, { labels });
    const { name, namespace } = resource.metadata;
    const { message, schedule } = resource.spec;
    new ApiObject(this, "cron-job", {
      apiVersion: "batch/v1",
      kind: "CronJob",
      metadata: { name: cronJobName(name) },
      spec: {
        schedule,
        concurrencyPolicy: "Forbid",
        jobTemplate: {
          metadata: { ...echoTemplateMetadata(name), labels },
          spec: echoJobSpec({ name, namespace, message, labels }),
        },
      },
    });
  }
}
