import type { Manifest } from "../../synth/manifest.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Fields that only the API server writes; users commit them with the output of `kubectl get -o yaml`. */
const serverMetadata: ReadonlySet<string> = new Set([
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "managedFields",
  "selfLink",
  "generateName",
  "ownerReferences",
]);

/** Annotations of kubectl and workload controllers: applying them would cause conflicts. */
const serverAnnotations: ReadonlySet<string> = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  "deployment.kubernetes.io/revision",
  "deprecated.daemonset.template.generation",
]);

/**
 * Removes fields that an author does not decide: status and metadata of the server. Empty values of them are removed
 * without a warning, because generators of CRDs write them into every file.
 */
export function dropServerFields(
  value: Fields,
  hasNamespace: boolean,
): { readonly manifest: Manifest; readonly dropped: readonly string[] } {
  const dropped: string[] = [];
  const metadata: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(value["metadata"] as Fields)) {
    if (serverMetadata.has(name)) {
      if (!isEmpty(field)) dropped.push(`metadata.${name}`);
    } else if (name === "annotations" && field !== null) {
      metadata[name] = withoutServerAnnotations(field as Fields, dropped);
    } else if (!(name === "namespace" && !hasNamespace) && field !== null) {
      metadata[name] = field;
    }
  }
  const { status, ...rest } = value;
  if (!isEmpty(status)) dropped.push("status");
  return { manifest: { ...rest, metadata } as unknown as Manifest, dropped };
}

function withoutServerAnnotations(annotations: Fields, dropped: string[]): Fields {
  const names = Object.keys(annotations).filter((name) => serverAnnotations.has(name));
  if (names.length === 0) return annotations;
  dropped.push(...names.map((name) => `the annotation ${name}`));
  return Object.fromEntries(Object.entries(annotations).filter(([name]) => !serverAnnotations.has(name)));
}

function isEmpty(value: unknown): boolean {
  return (
    value === undefined || value === null || (typeof value === "object" && Object.keys(value).length === 0)
  );
}
