import { ApiObject, Chart } from "cdk8s";
import type { Construct } from "constructs";
import * as z from "zod";
import {
  type BoundKind,
  bindKind,
  type ChartProps,
  coreKinds,
  defineKind,
  type ResourceOf,
} from "../../index.ts";

const spec = z
  .object({
    text: z.string().describe("What the ConfigMaps say."),
    copies: z.int32().min(0).default(3).describe("Number of ConfigMaps."),
  })
  .describe("What to keep.");
const status = z.object({ copies: z.int32().describe("ConfigMaps that are there.") });

function defineStamp(group: string) {
  return defineKind({
    group,
    kind: "Stamp",
    plural: "stamps",
    description: "Stamp keeps a number of ConfigMaps that have its text.",
    versions: [{ name: "v1", spec, status }],
  });
}

class StampChart extends Chart {
  constructor(
    scope: Construct,
    id: string,
    { resource }: ChartProps<ResourceOf<ReturnType<typeof defineStamp>>>,
  ) {
    super(scope, id);
    for (let copy = 0; copy < resource.spec.copies; copy++) {
      new ApiObject(this, `copy-${copy}`, {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: `${resource.metadata.name}-${copy}` },
        data: { text: resource.spec.text },
      });
    }
  }
}

/** The group of the Stamps that all tests may use. A test that removes their CRD uses another group. */
export const sharedGroup = "tests.fairlead.dev";

/** A kind for tests: a text, and a number of ConfigMaps that repeat it. No other controller reads them. */
export function stampIn(group: string): BoundKind<Construct> {
  return bindKind({
    definition: defineStamp(group),
    chart: StampChart,
    children: [coreKinds.ConfigMap],
    status: (_, observed) => ({ copies: observed.list(coreKinds.ConfigMap).length }),
  });
}
