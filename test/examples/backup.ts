import { ApiObject, Chart } from "cdk8s";
import type { Construct } from "constructs";
import * as z from "zod";
import type { BoundKind, ChartProps, LiveObject, ResourceOf } from "../../index.ts";
import { bindKind, coreKinds, defineKind } from "../../index.ts";

const { ConfigMap, Pod, ServiceAccount } = coreKinds;

export const Backup = defineKind({
  group: "example.dev",
  kind: "Backup",
  plural: "backups",
  description: "Backup copies a folder each time that it is asked to.",
  versions: [
    {
      name: "v1",
      spec: z.object({
        image: z.string().describe("Container image."),
        request: z.string().describe("A new value starts another backup."),
      }),
    },
  ],
});

const hasEnded = (pod: LiveObject | undefined): boolean =>
  ["Succeeded", "Failed"].includes((pod?.["status"] as { phase?: string } | undefined)?.phase ?? "");

class BackupChart extends Chart {
  constructor(scope: Construct, id: string, { resource, observed }: ChartProps<ResourceOf<typeof Backup>>) {
    super(scope, id);
    const { labels, name } = resource.metadata;
    const { image, request } = resource.spec;
    new ApiObject(this, "account", { apiVersion: "v1", kind: "ServiceAccount", metadata: { name } });
    const run = `${name}-${request}`;
    if (observed.find(ConfigMap, run) || hasEnded(observed.find(Pod, run))) {
      const data = { request };
      new ApiObject(this, "receipt", { apiVersion: "v1", kind: "ConfigMap", metadata: { name: run }, data });
      return;
    }
    new ApiObject(this, "pod", {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: run, labels: { ...labels } },
      spec: { restartPolicy: "Never", serviceAccountName: name, containers: [{ name: "copy", image }] },
    });
  }
}

export const backup: BoundKind<Construct> = bindKind({
  definition: Backup,
  chart: BackupChart,
  children: [
    ServiceAccount,
    { kind: ConfigMap, lifetime: "once", keep: 2 },
    { kind: Pod, lifetime: "run", publish: false, keep: (_, left) => left.filter(hasEnded) },
  ],
});
