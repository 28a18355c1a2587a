import type { CustomResource, KubernetesObject, LiveObject, ObjectKind } from "../../../crds/object.ts";
import type { ApplyStep } from "../../../operator/engine/decide-object.ts";
import type { DesiredObject, DesiredSet } from "../../../operator/engine/desired-set.ts";
import type { ShapeOf } from "../../../operator/engine/field-shape.ts";
import { inOrder } from "../../../operator/engine/in-order.ts";
import { withMetadata } from "../../../operator/engine/metadata-only.ts";
import { decideOwnership } from "../../../operator/engine/ownership.ts";
import { decideAlone } from "../../../operator/engine/plan.ts";
import { ApiUnavailableError, ObjectRejectedError } from "../../../operator/errors.ts";
import type { Cluster } from "../../../operator/ports.ts";
import type { ObjectId } from "../../../synth/manifest.ts";
import type { KnownKinds } from "../read-kinds.ts";
import { type Change, changeOf } from "./change.ts";

/** The cluster, where every apply is a dry run. */
export type DryCluster = Pick<Cluster, "read" | "apply">;

export interface CompareInput {
  /** The Release, or its replacement from a file. */
  readonly resource: CustomResource;
  readonly prepared: DesiredSet;
  readonly cluster: DryCluster;
  readonly kinds: KnownKinds;
  readonly shapeOf: ShapeOf;
  /** `status.inventory.finished`: Jobs that are not recreated. */
  readonly finished?: readonly string[] | undefined;
  /** Namespaces that exist once something else of the same file is applied. */
  readonly coming?: ReadonlySet<string> | undefined;
}

/**
 * The changes of applying a Release, object by object, in the order of applying. Requests of the operator are sent as
 * dry runs, so that defaults, webhooks and rejections are those of the API server; for unchanged objects it only reads.
 */
export async function compareRelease(input: CompareInput): Promise<readonly Change[]> {
  return await inOrder(input.prepared.objects, (object) => compareObject(object, input));
}

async function compareObject(object: DesiredObject, input: CompareInput): Promise<Change> {
  const { id, kind, manifest } = object;
  if (kind === undefined) return explainUnknown(object, input);
  const { name, namespace } = manifest.metadata;
  try {
    const live = await input.cluster.read({ kind, name, namespace });
    return await compareLive(object, kind, live, input);
  } catch (error) {
    if (!(error instanceof ApiUnavailableError || error instanceof ObjectRejectedError)) throw error;
    return changeOf({ id, action: "refused", before: undefined, after: undefined, note: error.message });
  }
}

async function compareLive(
  object: DesiredObject,
  kind: ObjectKind,
  live: LiveObject | undefined,
  input: CompareInput,
): Promise<Change> {
  const { id, manifest } = object;
  const { resource, prepared: desired, shapeOf, finished } = input;
  const unchanged = { id, before: live, after: live };
  const isSettled = () => false;
  const parts = { resource, desired, isSettled, shapeOf, finished };
  const decision = decideAlone(object, { ...parts, observed: () => live });
  if (decision === "done" || decision.does === "keep") return changeOf(unchanged);
  const ownership = live && decideOwnership(live, resource, desired.set);
  if (decision.does === "apply" && ownership?.whose === "foreign") {
    const note = `it belongs to ${ownership.owner.name} and would not be changed (NotOwned)`;
    return changeOf({ ...unchanged, action: "refused", note });
  }
  if (decision.does === "apply" && decision.step.only === "metadata" && live !== undefined)
    return changeOf({ id, before: live, after: withMetadata(decision.step.manifest, live) });
  if (decision.does === "apply")
    return changeOf({ id, before: live, ...(await dryRun(decision.step, kind, input, object)) });
  const note =
    decision.does === "wait"
      ? "it is being deleted and would be recreated"
      : "it would be deleted and recreated: it has a changed immutable field";
  return changeOf({ id, action: "replace", before: live, after: manifest, note });
}

/** Result of a dry run by the API server. */
async function dryRun(
  { manifest, guard }: Pick<ApplyStep, "manifest" | "guard">,
  kind: ObjectKind,
  { cluster, prepared, coming }: CompareInput,
  { id }: DesiredObject,
): Promise<{ readonly after: KubernetesObject; readonly note?: string }> {
  try {
    return { after: await cluster.apply(kind, manifest, guard) };
  } catch (error) {
    const { namespace } = manifest.metadata;
    const isOwn = prepared.objects.some((other) => other.id === namespaceId(namespace));
    const isOfFile = namespace !== undefined && coming?.has(namespace) === true;
    const isMissing = error instanceof ApiUnavailableError && error.status === 404;
    if (!isMissing || !(isOwn || isOfFile) || id === namespaceId(namespace)) throw error;
    return {
      after: manifest,
      note: `not checked: its namespace comes with this ${isOwn ? "Release" : "file"}`,
    };
  }
}

function namespaceId(namespace: string | undefined): ObjectId {
  return `/Namespace//${namespace ?? ""}`;
}

function explainUnknown({ id, manifest, needs }: DesiredObject, { kinds }: CompareInput): Change {
  const isToCome = needs.some((need) => need.startsWith("apiextensions.k8s.io/CustomResourceDefinition/"));
  const note = isToCome
    ? "not checked: its kind comes with this Release"
    : kinds.explain(manifest.apiVersion, manifest.kind).message;
  return changeOf({
    id,
    action: isToCome ? "create" : "refused",
    before: undefined,
    after: isToCome ? manifest : undefined,
    note,
  });
}
