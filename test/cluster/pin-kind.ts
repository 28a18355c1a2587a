import { ApiObject, Chart } from "cdk8s";
import type { Construct } from "constructs";
import * as z from "zod";
import { Release } from "../../crds/release.ts";
import { bindKind, type ChartProps, defineKind, type ResourceOf } from "../../index.ts";

const Pin = defineKind({
  group: "pins.tests.fairlead.dev",
  kind: "Pin",
  plural: "pins",
  description: "Pin keeps a Release at a commit while it exists.",
  versions: [
    {
      name: "v1",
      spec: z.object({
        release: z.string().describe("Name of the Release."),
        revision: z.string().describe("The commit."),
        digest: z.string().optional().describe("The digest of its manifests."),
        next: z.string().optional().describe("A commit to plan."),
      }),
      status: z.object({ deployed: z.string().optional().describe("The commit that is deployed.") }),
    },
  ],
});

class PinChart extends Chart {
  constructor(scope: Construct, id: string, props: ChartProps<ResourceOf<typeof Pin>>) {
    super(scope, id);
    const { spec } = props.resource;
    new ApiObject(this, "release", {
      apiVersion: "fairlead.dev/v1alpha1",
      kind: "Release",
      metadata: { name: spec.release },
      spec: {
        revision: spec.revision,
        ...(spec.digest !== undefined && { digest: spec.digest }),
        ...(spec.next !== undefined && { next: { revision: spec.next } }),
      },
    });
  }
}

/** A kind for tests that sets fields of Releases of the same operator. */
export const pin = bindKind({
  definition: Pin,
  chart: PinChart,
  children: [],
  related: [
    {
      kind: Release,
      ownerKey: ({ metadata }) => `${metadata.namespace}/${metadata.name}`,
      soughtKey: ({ metadata, spec }) => `${metadata.namespace}/${spec?.release}`,
      fields: ["spec.revision", "spec.digest", "spec.next"],
    },
  ],
  status: ({ spec }, observed) => {
    const status = observed.find(Release, spec?.release ?? "")?.["status"];
    const { revision } = (status ?? {}) as { readonly revision?: string };
    return revision === undefined ? {} : { deployed: revision };
  },
});
