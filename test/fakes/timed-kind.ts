import { ApiObject, Chart } from "cdk8s";
import type { Construct } from "constructs";
import * as z from "zod";
import { type BoundKind, bindKind, type ChartProps } from "../../crds/binding.ts";
import { ConfigMap } from "../../crds/core-kinds.ts";
import { defineKind, type ResourceOf } from "../../crds/kind.ts";
import type { KindContext } from "../../crds/kind-context.ts";

const Timed = defineKind({
  group: "example.dev",
  kind: "Timed",
  plural: "timeds",
  description: "A ConfigMap that says which instants have passed.",
  versions: [
    {
      name: "v1",
      spec: z.object({ instants: z.array(z.string()), until: z.string().optional() }),
      status: z.object({ isOver: z.boolean() }),
    },
  ],
});

/** A kind whose chart and status use the instants of its spec; `runs` counts those of the chart. */
export function aTimedKind(): { readonly kind: BoundKind<Construct>; readonly runs: { count: number } } {
  const runs = { count: 0 };
  class TimedChart extends Chart {
    constructor(scope: Construct, id: string, props: ChartProps<ResourceOf<typeof Timed>, KindContext>) {
      super(scope, id);
      runs.count++;
      const { resource, clock } = props;
      const passed = resource.spec.instants.map((instant) => clock.reached(instant));
      new ApiObject(this, "passed", {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "passed" },
        data: { passed: passed.join() },
      });
    }
  }
  const kind = bindKind({
    definition: Timed,
    chart: TimedChart,
    children: [ConfigMap],
    readsClock: true,
    status: ({ spec }, _, { clock }) => ({ isOver: spec.until !== undefined && clock.reached(spec.until) }),
  });
  return { kind, runs };
}
