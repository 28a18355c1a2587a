import { ApiObject, Chart } from "cdk8s";
import type { Construct } from "constructs";
import type { ChartProps } from "../../crds/binding.ts";
import type { KindContext } from "../../crds/kind-context.ts";
import type { SourceContext } from "../../crds/kind-source.ts";
import { apiVersionOf } from "../../crds/object.ts";
import type { PipelineRecord, PipelineResource } from "../../crds/pipeline.ts";
import { Promotion } from "../../crds/promotion.ts";
import { Release } from "../../crds/release.ts";
import { decidePins } from "./decide-pins.ts";
import { decideStage } from "./decide-stage.ts";
import { readWorld } from "./world.ts";

/** Contains the Promotions that stages start now, and the fields that the Pipeline sets in Releases. */
export class PipelineChart extends Chart {
  constructor(
    scope: Construct,
    id: string,
    {
      resource,
      observed,
      record,
      clock,
      source,
    }: ChartProps<PipelineResource, KindContext<PipelineRecord> & SourceContext>,
  ) {
    super(scope, id);
    const world = readWorld({ resource, observed, record, clock, source });
    const starting = new Set<string>();
    for (const stage of world.stages) {
      const { start } = decideStage(stage, world);
      if (start === undefined) continue;
      starting.add(stage.name);
      const { name, spec } = start;
      new ApiObject(this, `promotion-${stage.name}`, {
        apiVersion: apiVersionOf(Promotion),
        kind: Promotion.kind,
        metadata: { name },
        spec,
      });
    }
    for (const { name, namespace, revision, digest, next, compare } of decidePins(world, starting)) {
      new ApiObject(this, `release-${namespace}-${name}`, {
        apiVersion: apiVersionOf(Release),
        kind: Release.kind,
        metadata: { name, namespace },
        spec: {
          ...(revision !== undefined && { revision }),
          ...(digest !== undefined && { digest }),
          ...(next !== undefined && { next: { revision: next, ...(compare && { compare }) } }),
        },
      });
    }
  }
}
