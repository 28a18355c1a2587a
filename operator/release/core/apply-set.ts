import { groupOf, type KubernetesObject } from "../../../crds/object.ts";
import { Release } from "../../../crds/release.ts";
import { setOf } from "../../../synth/stamp.ts";
import type { OwnedObject } from "../ports.ts";
import type { Prepared } from "./prepare-manifests.ts";

// KEP-3659 as kubectl reads it (pkg/cmd/apply/applyset.go): the parent says in which kinds and namespaces its members are.

/** Labels and annotations of an ApplySet's parent. */
export const applySetKeys = {
  id: "applyset.kubernetes.io/id",
  tooling: "applyset.kubernetes.io/tooling",
  groupKinds: "applyset.kubernetes.io/contains-group-kinds",
  namespaces: "applyset.kubernetes.io/additional-namespaces",
} as const;

const tool = "fairlead";

/** A kind whatever its version, as the ApplySet specification writes it: `Deployment.apps`, `ConfigMap`. */
export interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

/** Where members of a set may be. */
export interface ApplySetRecord {
  readonly groupKinds: readonly GroupKind[];
  /** Beside the Release's own. */
  readonly namespaces: readonly string[];
}

type Parent = Pick<KubernetesObject, "metadata">;

/** What a Release records of its set; empty before the first apply. Pure. */
export function readApplySet({ metadata: { annotations } }: Parent): ApplySetRecord {
  const groupKinds = entriesOf(annotations?.[applySetKeys.groupKinds]).map((text): GroupKind => {
    const dot = text.indexOf(".");
    return dot === -1 ? { group: "", kind: text } : { group: text.slice(dot + 1), kind: text.slice(0, dot) };
  });
  return { groupKinds, namespaces: entriesOf(annotations?.[applySetKeys.namespaces]) };
}

/** The tool that says this set is its own, if that is not ours. */
export function foreignToolOf({ metadata: { annotations } }: Parent): string | undefined {
  const tooling = annotations?.[applySetKeys.tooling];
  return tooling === undefined || tooling.split("/", 1)[0] === tool ? undefined : tooling;
}

/** Says that a Release is not touched because another tool has it, and how to go on. */
export function describeForeignTool(tooling: string): string {
  return (
    `The Release is marked as the set of ${tooling} (annotation ${applySetKeys.tooling}): it is left as it is. ` +
    "Take that annotation off to hand it over"
  );
}

/**
 * Where the members of a set are: those that are there, those that are wanted, and (until all of that is applied and
 * pruned) what was recorded before, so that at no point in time an object exists in a place that is not recorded. Pure.
 */
export function applySetOf(
  prepared: Pick<Prepared, "objects">,
  owned: readonly OwnedObject[],
  recorded: ApplySetRecord = { groupKinds: [], namespaces: [] },
): ApplySetRecord {
  const objects: readonly KubernetesObject[] = [
    ...prepared.objects.map(({ manifest }) => manifest),
    ...owned.map(({ live }) => live),
  ];
  return {
    groupKinds: [
      ...objects.map(({ apiVersion, kind }) => ({ group: groupOf(apiVersion), kind })),
      ...recorded.groupKinds,
    ],
    namespaces: [...objects.flatMap(({ metadata }) => metadata.namespace ?? []), ...recorded.namespaces],
  };
}

/**
 * The labels and annotations that a Release must get to record its set; undefined: it has them. The texts are sorted and
 * without repetition, the Release's own namespace is not named. Pure.
 */
export function applySetMetadata(
  release: Parent,
  { groupKinds, namespaces }: ApplySetRecord,
): { readonly labels: Record<string, string>; readonly annotations: Record<string, string> } | undefined {
  const { metadata } = release;
  const labels = { [applySetKeys.id]: setOf(Release, release) };
  const annotations = {
    [applySetKeys.tooling]: `${tool}/v1`,
    [applySetKeys.groupKinds]: join(
      groupKinds.map(({ group, kind }) => (group === "" ? kind : `${kind}.${group}`)),
    ),
    [applySetKeys.namespaces]: join(namespaces.filter((name) => name !== metadata.namespace)),
  };
  const isThere = (wanted: Record<string, string>, has: Readonly<Record<string, string>> | undefined) =>
    Object.entries(wanted).every(([name, value]) => has?.[name] === value);
  if (isThere(labels, metadata.labels) && isThere(annotations, metadata.annotations)) return undefined;
  return { labels, annotations };
}

function join(texts: readonly string[]): string {
  return [...new Set(texts)].sort().join(",");
}

function entriesOf(text: string | undefined): readonly string[] {
  return (text ?? "").split(",").flatMap((entry) => entry.trim() || []);
}
