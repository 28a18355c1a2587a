import * as fc from "fast-check";
import type { DesiredSet } from "../../operator/engine/desired-set.ts";

import { aSourceManifest, asPrepared } from "./releases.ts";

const apiVersions = {
  Namespace: "v1",
  CustomResourceDefinition: "apiextensions.k8s.io/v1",
  StorageClass: "storage.k8s.io/v1",
  ConfigMap: "v1",
  Secret: "v1",
  Deployment: "apps/v1",
  Service: "v1",
  ValidatingWebhookConfiguration: "admissionregistration.k8s.io/v1",
} as const;
type Kind = keyof typeof apiVersions;
const clusterScoped: ReadonlySet<Kind> = new Set([
  "Namespace",
  "CustomResourceDefinition",
  "StorageClass",
  "ValidatingWebhookConfiguration",
]);

interface DesiredObject {
  readonly kind: Kind;
  readonly name: string;
  readonly namespace: string;
  readonly value: number;
}

const desiredObject: fc.Arbitrary<DesiredObject> = fc.record({
  kind: fc.constantFrom(...(Object.keys(apiVersions) as Kind[])),
  name: fc.constantFrom("a", "b"),
  namespace: fc.constantFrom("shop", "a", "b"),
  value: fc.integer({ min: 0, max: 2 }),
});
const objectId = ({ kind, name, namespace }: DesiredObject) =>
  `${kind}/${clusterScoped.has(kind) ? "" : namespace}/${name}`;
export const desiredObjects = fc.uniqueArray(desiredObject, { selector: objectId, maxLength: 8 });
/** Edges from later to earlier manifests, so that there are no cycles among the declared ones. */
const edges = fc.array(fc.tuple(fc.nat(7), fc.nat(7)), { maxLength: 4 });

/** The objects of a commit, as indexes of their needs. */
export interface DesiredCommit {
  readonly wanted: readonly DesiredObject[];
  readonly edges: readonly (readonly [number, number])[];
}
export const desiredCommit: fc.Arbitrary<DesiredCommit> = fc.record({ wanted: desiredObjects, edges });

/** Prepares the objects. Undefined: the required and the declared order form a cycle, which is rejected. */
export function prepareCommit({ wanted, edges: declared }: DesiredCommit): DesiredSet | undefined {
  const manifests = wanted.map(({ kind, name, namespace, value }) =>
    aSourceManifest(apiVersions[kind], kind, name, { namespace, fields: { value } }),
  );
  const dependencies: Record<number, number[]> = {};
  for (const [a, b] of declared) {
    const [from, to] = [Math.max(a, b), Math.min(a, b)];
    if (from !== to && from < manifests.length) dependencies[from] = [...(dependencies[from] ?? []), to];
  }
  try {
    return asPrepared(manifests, dependencies);
  } catch {
    return undefined;
  }
}
