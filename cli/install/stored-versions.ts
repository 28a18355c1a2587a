import type { KubernetesObject } from "../../crds/object.ts";

/** A new CustomResourceDefinition would lose stored resources. */
export class StoredVersionLostError extends Error {
  override readonly name = "StoredVersionLostError";
}

interface Definition {
  readonly spec: { readonly versions: readonly { readonly name: string }[] };
  readonly status?: { readonly storedVersions?: readonly string[] };
}

/**
 * Rejects a CustomResourceDefinition that lacks a version in which resources may still be stored.
 *
 * @throws StoredVersionLostError with the versions, and what to do first.
 */
export function refuseLostVersions(wanted: KubernetesObject, live: KubernetesObject | undefined): void {
  if (live === undefined) return;
  const { spec } = wanted as unknown as Definition;
  const known = new Set(spec.versions.map(({ name }) => name));
  const stored = (live as unknown as Definition).status?.storedVersions ?? [];
  const lost = stored.filter((version) => !known.has(version));
  if (lost.length === 0) return;
  const { name } = wanted.metadata;
  throw new StoredVersionLostError(
    `Cannot upgrade CustomResourceDefinition ${name}: resources may still be stored as ${lost.join(", ")}, which this ` +
      `release does not support; write every ${name.split(".")[0]} once with the previous release, then remove ${lost.join(", ")} ` +
      "from the definition's status.storedVersions",
  );
}
