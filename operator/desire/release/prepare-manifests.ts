import { groupKindOf, groupOf, keyOf, type ObjectKind, type ObjectMeta } from "../../../crds/object.ts";
import { Release, type ReleaseResource } from "../../../crds/release.ts";
import { digestOf, toCanonicalJson } from "../../../synth/digest.ts";
import { idOf, type Manifest, type ObjectId } from "../../../synth/manifest.ts";
import { putStamps, setOf, unstampManifest } from "../../../synth/stamp.ts";
import type { KindCatalog } from "../../cluster/found-kinds/ports.ts";
import { applyStageOf } from "../../engine/apply-stage.ts";
import type { DesiredObject, DesiredSet } from "../../engine/desired-set.ts";
import { orderObjects } from "../../engine/order-objects.ts";
import type { Rendered } from "../../render/ports.ts";
import { type OwnKind, ownKindsOf } from "./own-kinds.ts";
import { cycleError, refuseDuplicates, refuseItself } from "./refuse-manifests.ts";

/** The part of a Release that determines the names, labels and annotations of its objects. */
export interface PreparableRelease {
  readonly metadata: Pick<ObjectMeta, "name" | "namespace">;
  readonly spec: Pick<ReleaseResource["spec"], "target">;
}

/** A manifest before it is ordered. */
interface Placed {
  readonly id: ObjectId;
  readonly manifest: Manifest;
  readonly kind: ObjectKind | undefined;
  readonly own: OwnKind | undefined;
  readonly origin: string;
  readonly isEnsured: boolean;
}

/**
 * Completes the manifests of a source. Adds namespaces, labels and annotations of the target, and the set's stamps.
 * Determines stages and order.
 *
 * It adds no owner references: with `deletionPolicy: Orphan` the objects must stay, and they may be in other namespaces.
 *
 * @throws {SourceError} `RenderFailed`: two manifests define one object, the Release would apply itself, or the order has a
 *   cycle. The message contains the origins of the objects.
 */
export function prepareManifests(
  rendered: Pick<Rendered, "manifests" | "origins" | "dependencies">,
  release: PreparableRelease,
  kinds: Pick<KindCatalog, "find">,
): DesiredSet {
  const { target } = release.spec;
  const home = target.namespace ?? release.metadata.namespace ?? "";
  const own = ownKindsOf(rendered.manifests);
  const placed = rendered.manifests.map((manifest, index): Placed => {
    const origin = rendered.origins[index] ?? `manifest ${index + 1}`;
    return { ...place(manifest, home, kinds, own), origin, isEnsured: false };
  });
  refuseDuplicates(placed, home);
  refuseItself(placed, release);

  const given = placed.length;
  const namespace = ensuredNamespace(release, kinds);
  if (namespace !== undefined && !placed.some(({ id }) => id === namespace.id)) placed.push(namespace);
  const ids = new Set(placed.map(({ id }) => id));
  const items = placed.map((one, index) => {
    const declared = index < given ? (rendered.dependencies.get(index) ?? []) : [];
    return { ...one, stage: applyStageOf(one.manifest), needs: needsOf(one, declared, { placed, ids }) };
  });
  const { order, cycle } = orderObjects(items);
  if (cycle !== undefined) throw cycleError(cycle, placed);

  const set = setOf(Release, release);
  const owner = `${groupKindOf(Release)}/${keyOf(release)}`;
  const parts: string[] = [];
  const objects = order.map(({ own: _, manifest: plain, ...one }): DesiredObject => {
    const manifest = dress(plain, target);
    const digest = digestOf(toCanonicalJson(manifest));
    parts.push(`${one.id} ${digest}\n`);
    // The digest of a Job's manifest is used as its generation: the Job is recreated when the source changes it.
    const stamped = putStamps(manifest, { digest, set, owner, run: digest, isApplySetMember: true });
    return { ...one, manifest: stamped, lifetime: "kept", publish: true };
  });
  return { set, digest: digestOf(parts.sort().join("")), objects, isOrdered: rendered.dependencies.size > 0 };
}

function place(
  manifest: Manifest,
  home: string,
  kinds: Pick<KindCatalog, "find">,
  ownKinds: ReadonlyMap<string, OwnKind>,
): Pick<Placed, "id" | "manifest" | "kind" | "own"> {
  const { apiVersion } = manifest;
  const kind = kinds.find(apiVersion, manifest.kind);
  const own = ownKinds.get(`${groupOf(apiVersion)}/${manifest.kind}`);
  const namespaced = kind?.namespaced ?? own?.namespaced;
  // Remove stamps and owner references, which a manifest has if it was copied from a cluster.
  const plain = unstampManifest(manifest);
  const { namespace: given, ...metadata } = plain.metadata;
  // Do not change the namespace of an object of an unknown kind.
  const namespace = namespaced === undefined ? given : namespaced ? (given ?? home) : undefined;
  const at = { ...plain, metadata: namespace === undefined ? metadata : { ...metadata, namespace } };
  return { id: idOf(at), manifest: at, kind, own };
}

function ensuredNamespace(
  { metadata, spec: { target } }: PreparableRelease,
  kinds: Pick<KindCatalog, "find">,
): Placed | undefined {
  const { namespace } = target;
  if (!target.createNamespace || namespace === undefined || namespace === metadata.namespace)
    return undefined;
  const manifest: Manifest = {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: namespace, annotations: { "fairlead.dev/prune": "disabled" } },
  };
  const kind = kinds.find("v1", "Namespace");
  return {
    id: idOf(manifest),
    manifest,
    kind,
    own: undefined,
    origin: "target.createNamespace",
    isEnsured: true,
  };
}

/** The declared needs of an object, and the implicit ones: its namespace and the CRD of its kind. */
function needsOf(
  { manifest, own }: Placed,
  declared: readonly number[],
  { placed, ids }: { readonly placed: readonly Placed[]; readonly ids: ReadonlySet<ObjectId> },
): readonly ObjectId[] {
  const { namespace } = manifest.metadata;
  const namespaceId = `/Namespace//${namespace}`;
  const hasNamespace = namespace !== undefined && ids.has(namespaceId);
  if (own === undefined && !hasNamespace && declared.length === 0) return [];
  const needs = new Set<ObjectId>(declared.flatMap((index) => placed[index]?.id ?? []));
  if (own !== undefined) needs.add(own.definition);
  if (hasNamespace) needs.add(namespaceId);
  return [...needs];
}

/** Adds the labels and annotations of the target, which override the object's own. */
function dress(manifest: Manifest, { labels, annotations }: PreparableRelease["spec"]["target"]): Manifest {
  if (labels === undefined && annotations === undefined) return manifest;
  const { metadata } = manifest;
  return {
    ...manifest,
    metadata: {
      ...metadata,
      ...(labels && { labels: { ...metadata.labels, ...labels } }),
      ...(annotations && { annotations: { ...metadata.annotations, ...annotations } }),
    },
  };
}
