import type { KubernetesObject } from "../../../crds/object.ts";
import { Release } from "../../../crds/release.ts";
import { type ObjectId, stamps } from "../../../synth/manifest.ts";
import { setOf } from "../../../synth/stamp.ts";
import { inventoryOf } from "../../engine/inventory.ts";

// KEP-3659, as implemented by kubectl (pkg/cmd/apply/applyset.go): the parent lists the kinds and namespaces of its
// members. These labels and annotations are for other tools. The operator does not use them for decisions, because the
// author of a Release can write them.

/** Labels and annotations of an ApplySet's parent. */
export const applySetKeys = {
  id: "applyset.kubernetes.io/id",
  tooling: "applyset.kubernetes.io/tooling",
  groupKinds: "applyset.kubernetes.io/contains-group-kinds",
  namespaces: "applyset.kubernetes.io/additional-namespaces",
} as const;

const tool = "fairlead";

type Parent = Pick<KubernetesObject, "metadata">;

/** The other tool that manages this set according to its annotation. */
export function foreignToolOf({ metadata: { annotations } }: Parent): string | undefined {
  const tooling = annotations?.[applySetKeys.tooling];
  return tooling === undefined || tooling.split("/", 1)[0] === tool ? undefined : tooling;
}

/**
 * Whether a Release may have objects without a record. An old version of the operator recorded only kinds until the Release
 * was fully deployed. This version writes a record with or before the annotation; it may be sealed with another key. Pure.
 */
export function hasUnrecordedMembers(release: Parent): boolean {
  return inventoryOf(release) === undefined && !!release.metadata.annotations?.[applySetKeys.groupKinds];
}

/** Message for a Release without a record, with the label by which its objects can be found. */
export function describeUnrecorded(set: string): string {
  return `the operator has no valid record of them; they have the label ${stamps.set}=${set}`;
}

/** Message for a Release that is not changed because another tool manages it, with instructions. */
export function describeForeignTool(tooling: string): string {
  return (
    `The Release is marked as the set of ${tooling} (annotation ${applySetKeys.tooling}), so the operator does not reconcile it. ` +
    "Remove that annotation to hand the Release over"
  );
}

/**
 * The labels and annotations that a Release needs to describe a set of these objects; undefined: it has them already. The
 * lists are sorted and without duplicates, and do not contain the Release's own namespace. Pure.
 */
export function applySetMetadata(
  release: Parent,
  members: Iterable<ObjectId>,
): { readonly labels: Record<string, string>; readonly annotations: Record<string, string> } | undefined {
  const { metadata } = release;
  const parts = [...members].map((id) => id.split("/"));
  const labels = { [applySetKeys.id]: setOf(Release, release) };
  const annotations = {
    [applySetKeys.tooling]: `${tool}/v1`,
    // A kind without a version, in the format of the specification: `Deployment.apps`, `ConfigMap`.
    [applySetKeys.groupKinds]: join(
      parts.map(([group = "", kind = ""]) => (group === "" ? kind : `${kind}.${group}`)),
    ),
    [applySetKeys.namespaces]: join(
      parts.flatMap(([, , namespace = ""]) =>
        namespace === "" || namespace === metadata.namespace ? [] : namespace,
      ),
    ),
  };
  const isThere = (wanted: Record<string, string>, has: Readonly<Record<string, string>> | undefined) =>
    Object.entries(wanted).every(([name, value]) => has?.[name] === value);
  if (isThere(labels, metadata.labels) && isThere(annotations, metadata.annotations)) return undefined;
  return { labels, annotations };
}

function join(texts: readonly string[]): string {
  return [...new Set(texts)].sort().join(",");
}
