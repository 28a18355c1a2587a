import { hash } from "node:crypto";
import type { KindDefinition } from "../crds/kind.ts";
import {
  apiVersionOf,
  type CustomResource,
  groupKindOf,
  keyOf,
  type ObjectMeta,
  type OwnerReference,
} from "../crds/object.ts";
import { FIELD_MANAGER, type Manifest, stamps } from "./manifest.ts";

/** The stamp's data about the resource of an object. */
export interface StampOwner {
  readonly definition: KindDefinition;
  readonly resource: CustomResource;
  /** Value of the label `fairlead.dev/set`; see {@link setOf}. */
  readonly set: string;
}

/**
 * The id of a resource's set of objects, computed from the parent as in the ApplySet specification (KEP-3659).
 *
 * @returns `applyset-<43 characters>-v1`, 55 characters, valid as a label's value.
 */
export function setOf(
  { kind, group }: Pick<KindDefinition, "kind" | "group">,
  { metadata }: { readonly metadata: Pick<ObjectMeta, "name" | "namespace"> },
): string {
  const parent = `${metadata.name}.${metadata.namespace ?? ""}.${kind}.${group}`;
  return `applyset-${hash("sha256", parent, "base64url")}-v1`;
}

/** Maximum length of a field manager that the API server accepts. */
const managerLimit = 128;

/**
 * The field manager of a resource's additions to objects of others: `fairlead/<plural>.<group>/<key>`, or its set's id.
 */
export function additionManagerOf(
  definition: KindDefinition,
  resource: { readonly metadata: Pick<ObjectMeta, "name" | "namespace"> },
): string {
  const name = `${FIELD_MANAGER}/${groupKindOf(definition)}/${keyOf(resource)}`;
  return name.length <= managerLimit ? name : `${FIELD_MANAGER}/${setOf(definition, resource)}`;
}

/** The stamps of its set that every object has. */
export interface Stamps {
  /** Digest of the manifest without stamps. */
  readonly digest: string;
  readonly set: string;
  /** On a Job: another value means that it is to run again. */
  readonly run: string | undefined;
  /** `<plural>.<group>/<key>` of the resource; undefined: a reference names it. */
  readonly owner: string | undefined;
  /** The controller reference, which garbage collection uses. */
  readonly reference?: OwnerReference | undefined;
  /** Whether kubectl and other ApplySet tools should find it. Default: false. */
  readonly isApplySetMember?: boolean;
}

/** Adds the labels and annotations of {@link stamps} to a manifest. Pure. */
export function putStamps(
  manifest: Manifest,
  { digest, set, run, owner, reference, isApplySetMember = false }: Stamps,
): Manifest {
  const { metadata } = manifest;
  const isJob = manifest.kind === "Job" && manifest.apiVersion === "batch/v1";
  const labels = {
    ...metadata.labels,
    [stamps.set]: set,
    ...(isApplySetMember && { [stamps.partOf]: set }),
  };
  const annotations = {
    ...metadata.annotations,
    [stamps.digest]: digest,
    ...(isJob && run !== undefined && { [stamps.generation]: run }),
    ...(owner !== undefined && { [stamps.owner]: owner }),
  };
  const stamped = { ...metadata, labels, annotations };
  return { ...manifest, metadata: reference ? { ...stamped, ownerReferences: [reference] } : stamped };
}

/** The manifest of a kind's chart with everything that the operator adds: see {@link stamps}, and the owner reference. */
export function stampManifest(
  manifest: Manifest,
  digest: string,
  { definition, resource, set }: StampOwner,
): Manifest {
  const { name, namespace, uid = "", generation } = resource.metadata;
  // Garbage collection follows a reference to a cluster-scoped owner, or to one in the object's own namespace.
  const isCollected = namespace === undefined || namespace === manifest.metadata.namespace;
  const { kind } = definition;
  const apiVersion = apiVersionOf(definition);
  return putStamps(manifest, {
    digest,
    set,
    run: generation === undefined ? undefined : String(generation),
    owner: isCollected ? undefined : `${groupKindOf(definition)}/${keyOf(resource)}`,
    reference: isCollected
      ? { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }
      : undefined,
  });
}

const stampLabels: ReadonlySet<string> = new Set([stamps.set, stamps.partOf]);
const stampAnnotations: ReadonlySet<string> = new Set([
  stamps.digest,
  stamps.generation,
  stamps.owner,
  stamps.template,
]);

/** The manifest as its chart created it, without the additions of {@link stampManifest}. */
export function unstampManifest(manifest: Manifest): Manifest {
  const { labels, annotations, ownerReferences: _, ...rest } = manifest.metadata;
  const metadata: ObjectMeta = {
    ...rest,
    ...without("labels", labels, stampLabels),
    ...without("annotations", annotations, stampAnnotations),
  };
  return { ...manifest, metadata };
}

function without(
  field: "labels" | "annotations",
  entries: Readonly<Record<string, string>> | undefined,
  names: ReadonlySet<string>,
): { readonly [field]?: Readonly<Record<string, string>> } {
  const kept = Object.entries(entries ?? {}).filter(([name]) => !names.has(name));
  return kept.length === 0 ? {} : { [field]: Object.fromEntries(kept) };
}
