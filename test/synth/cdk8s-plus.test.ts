import { Chart } from "cdk8s";
import { Deployment as PlusDeployment } from "cdk8s-plus-27";
import type { Construct } from "constructs";
import { expect, test } from "vitest";
import type { ChartProps } from "../../crds/binding.ts";
import { Deployment } from "../../crds/core-kinds.ts";
import type { CustomResource } from "../../crds/object.ts";
import { synthesize } from "../../synth/synthesize.ts";
import { aGadgetKind } from "../fakes/gadget.ts";
import { observe } from "../fakes/observed.ts";
import { aResource } from "../fakes/resources.ts";

class PlusChart extends Chart {
  constructor(scope: Construct, id: string, { resource }: ChartProps<CustomResource>) {
    super(scope, id);
    const metadata = { name: resource.metadata.name };
    new PlusDeployment(this, "web", { metadata, containers: [{ image: "nginx:1.27" }] });
  }
}

test("a chart may be written with cdk8s-plus, and its pods have the labels of its selector", () => {
  const kind = aGadgetKind({ chart: PlusChart, children: [Deployment] });
  const { manifests } = synthesize(kind, aResource(kind), observe());
  expect(manifests).toMatchObject([{ kind: "Deployment", metadata: { name: "web", namespace: "shop" } }]);
  const [{ spec } = {}] = manifests as readonly {
    spec?: { selector: { matchLabels: object }; template: { metadata: object } };
  }[];
  expect(Object.keys(spec?.selector.matchLabels ?? {})).not.toEqual([]);
  expect(spec?.template.metadata).toMatchObject({ labels: spec?.selector.matchLabels });
});
