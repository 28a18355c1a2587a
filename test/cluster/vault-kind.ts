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

/** The Secret's content, which only users with permission may see. */
export const vaultSecret = "planted-child-7c2f";

const Vault = defineKind({
  group: "secrets.tests.fairlead.dev",
  kind: "Vault",
  plural: "vaults",
  description: "Vault keeps a Secret, which can be invalid.",
  versions: [
    {
      name: "v1",
      spec: z.object({
        text: z.string().describe("Where it is published, to make a difference."),
        mistake: z.enum(["none", "key", "base64", "type"]).default("none").describe("What is wrong with it."),
      }),
      status: z.object({ secrets: z.int32().describe("Secrets that are there.") }),
    },
  ],
});

/** The manifest's data: valid, or rejected by the API server for different reasons. */
const dataOf = {
  none: { stringData: { password: vaultSecret } },
  key: { stringData: { [`not a key, ${"but a text"}`]: vaultSecret } },
  base64: { data: { password: `${vaultSecret}-***` } },
  type: { stringData: { password: { nested: vaultSecret } } },
};

class VaultChart extends Chart {
  constructor(scope: Construct, id: string, { resource }: ChartProps<ResourceOf<typeof Vault>>) {
    super(scope, id);
    const { text, mistake } = resource.spec;
    const metadata = { name: resource.metadata.name, annotations: { text } };
    new ApiObject(this, "secret", { apiVersion: "v1", kind: "Secret", metadata, ...dataOf[mistake] });
  }
}

/** A kind for tests whose child is a Secret. */
export const vault: BoundKind<Construct> = bindKind({
  definition: Vault,
  chart: VaultChart,
  children: [coreKinds.Secret],
  status: (_, observed) => ({ secrets: observed.list(coreKinds.Secret).length }),
});
