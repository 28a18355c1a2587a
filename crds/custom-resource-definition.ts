import type { KindDefinition, KindVersion } from "./kind.ts";
import { toStructural } from "./structural.ts";
import type { StructuralSchema } from "./structural-schema.ts";

/** `apiVersion` and `kind` of the result of {@link customResourceDefinitionOf}. */
export const crdKind = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" } as const;

/**
 * The CustomResourceDefinition of a kind, as plain JSON. Pure.
 *
 * @throws {UnstructurableSchemaError} if a schema cannot be expressed in a CRD.
 */
export function customResourceDefinitionOf(definition: KindDefinition) {
  const { group, kind, plural, singular, shortNames, namespaced, versions } = definition;
  return {
    ...crdKind,
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular,
        ...(shortNames.length === 0 ? {} : { shortNames }),
      },
      scope: namespaced ? "Namespaced" : "Cluster",
      versions: versions.map((version) => versionOf(definition, version)),
    },
  };
}

function versionOf({ description, columns, scale }: KindDefinition, version: KindVersion) {
  return {
    name: version.name,
    served: version.served,
    storage: version.storage,
    schema: { openAPIV3Schema: resourceSchemaOf(version, description) },
    ...(hasStatus(version) && { subresources: { status: {}, ...(scale === undefined ? {} : { scale }) } }),
    additionalPrinterColumns: columns,
  };
}

function hasStatus({ status }: KindVersion): boolean {
  return Object.keys(status.shape).length > 0;
}

function resourceSchemaOf(version: KindVersion, description: string): StructuralSchema {
  const { spec, status } = version;
  return {
    type: "object",
    description,
    required: ["spec"],
    properties: {
      // The server describes these three fields itself.
      apiVersion: { type: "string" },
      kind: { type: "string" },
      metadata: { type: "object" },
      spec: { description: "Desired state.", ...toStructural(spec, "spec") },
      ...(hasStatus(version) && { status: toStructural(status, "status") }),
    },
  };
}
