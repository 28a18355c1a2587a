import { App, Chart } from "cdk8s";
import { expect, test } from "vitest";
import { CustomResourceDefinition } from "../../constructs/custom-resource-definition.ts";
import { EasyService } from "../../crds/easy-service.ts";
import { Echo } from "../../crds/echo.ts";
import type { KindDefinition } from "../../crds/kind.ts";

function synthesizeCrd(definition: KindDefinition) {
  const chart = new Chart(new App(), "crds");
  new CustomResourceDefinition(chart, definition.kind, { definition });
  return chart.toJson();
}

test("CustomResourceDefinition has the name and the names that the API server requires", () => {
  expect(synthesizeCrd(Echo)).toMatchObject([
    {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "echos.mmontes.io" },
      spec: {
        group: "mmontes.io",
        scope: "Namespaced",
        names: { kind: "Echo", listKind: "EchoList", plural: "echos", singular: "echo", shortNames: ["ec"] },
      },
    },
  ]);
});

test("CustomResourceDefinition contains the schema, status and columns of each version", () => {
  const [crd] = synthesizeCrd(Echo);
  const [version] = crd.spec.versions;
  expect(version).toMatchObject({
    name: "v1alpha1",
    served: true,
    storage: true,
    subresources: { status: {} },
  });
  expect(version.subresources).not.toHaveProperty("scale");
  expect(version.additionalPrinterColumns.map(({ name }: { name: string }) => name)).toEqual([
    "Message",
    "Completed",
    "Ready",
    "Status",
    "Age",
  ]);
  const schema = version.schema.openAPIV3Schema;
  expect(schema.required).toEqual(["spec"]);
  expect(schema.properties.spec).toMatchObject({
    required: ["message"],
    properties: { message: { type: "string" } },
  });
  expect(schema.properties.status.properties.conditions).toMatchObject({
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["type"],
  });
});

test("CustomResourceDefinition has a scale subresource if its kind has one", () => {
  const [crd] = synthesizeCrd(EasyService);
  expect(crd.spec.versions[0].subresources).toEqual({
    status: {},
    scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.replicas" },
  });
});
