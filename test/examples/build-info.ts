import { ApiObject, Chart } from "cdk8s";
import type { Construct } from "constructs";
import * as z from "zod";
import {
  type BoundKind,
  bindKind,
  type ChartProps,
  coreKinds,
  defineKind,
  type KindContext,
  type RecordOf,
  type ResourceOf,
} from "../../index.ts";

export const BuildInfo = defineKind({
  group: "example.dev",
  kind: "BuildInfo",
  plural: "buildinfos",
  description: "BuildInfo keeps the newest commit that changed a folder in a ConfigMap.",
  versions: [
    {
      name: "v1",
      spec: z.object({
        url: z.string().describe("The git repository."),
        branch: z.string().default("main").describe("Its branch."),
        path: z.string().default(".").describe("The folder."),
        secret: z.string().optional().describe("Name of the Secret that has the credentials."),
        serviceAccountName: z
          .string()
          .optional()
          .describe("Name of the ServiceAccount that may read it. Default: the operator's own rights."),
        suspend: z.boolean().default(false).describe("Stop polling the repository."),
      }),
      status: z.object({
        revision: z.string().optional().describe("The commit."),
        tree: z.string().optional().describe("Id of the folder's git tree."),
      }),
    },
  ],
});

type BuildInfoRecord = RecordOf<typeof BuildInfo, "revision" | "tree">;

class BuildInfoChart extends Chart {
  constructor(
    scope: Construct,
    id: string,
    { resource, record }: ChartProps<ResourceOf<typeof BuildInfo>, KindContext<BuildInfoRecord>>,
  ) {
    super(scope, id);
    const { revision = "" } = record;
    const { name } = resource.metadata;
    new ApiObject(this, "info", {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name },
      data: { revision },
    });
  }
}

export const buildInfo: BoundKind<Construct> = bindKind({
  definition: BuildInfo,
  chart: BuildInfoChart,
  children: [coreKinds.ConfigMap],
  source: {
    required: true,
    of: ({ spec: { url, branch, path, secret, suspend } }) =>
      suspend
        ? undefined
        : { url, ref: { branch }, path, secretRef: secret === undefined ? undefined : { name: secret } },
    actAs: ({ spec }) => spec.serviceAccountName,
  },
  record: {
    fields: ["revision", "tree"],
    // Equal trees are equal files: the commit stays, even if the clone has lost its history since.
    fold: (previous, { source }) =>
      source === undefined || source.tree === previous.tree
        ? previous
        : { revision: source.changed.id, tree: source.tree },
  },
});
