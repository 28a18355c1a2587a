import { groupOf, type LiveObject, type ObjectKind } from "../../../crds/object.ts";
import type { ObjectId } from "../../../synth/manifest.ts";
import type { Decision } from "../../engine/decide-object.ts";
import type { PruneDecision } from "../../engine/decide-prune.ts";
import type { DesiredObject, DesiredSet } from "../../engine/desired-set.ts";
import type { ShapeOf } from "../../engine/field-shape.ts";
import { decideOwnership } from "../../engine/ownership.ts";
import { decideAlone } from "../../engine/plan.ts";
import { settleAll } from "../../engine/settle-all.ts";
import {
  AlreadyThereError,
  ApiUnavailableError,
  NotOwnedError,
  ObjectRejectedError,
  ReplacedError,
} from "../../errors.ts";
import type { DryCluster } from "../../ports.ts";
import type { PlannedRelease } from "./next-source.ts";
import { ownKindsOf } from "./own-kinds.ts";

/** The action for one object when a commit is applied. `replace`: delete and recreate. `hold`: delete after approval. */
export type PlannedAction = "create" | "change" | "replace" | "keep" | "delete" | "hold";

export interface PlanObjectsInput {
  readonly release: Pick<PlannedRelease, "resource">;
  readonly prepared: DesiredSet;
  /** The live object of a desired one, as in an apply. */
  readonly observed: (object: DesiredObject) => LiveObject | undefined;
  readonly isSettled: (live: LiveObject) => boolean;
  readonly shapeOf: ShapeOf;
  readonly cluster: DryCluster;
}

/** Maximum number of concurrent requests of one plan. The other connections are for applies. */
const atATime = 2;

/**
 * Plans the action for each object of a commit. All requests of an apply are sent as dry runs, so that the API server, its
 * webhooks and the permissions of the Release decide as in the apply.
 *
 * @throws The first rejection, or otherwise the first failure: ObjectRejectedError, NotOwnedError, ApiUnavailableError,
 *   ReplacedError.
 */
export async function planObjects(input: PlanObjectsInput): Promise<ReadonlyMap<ObjectId, PlannedAction>> {
  const { objects } = input.prepared;
  const ended = await settleAll(objects, atATime, (object) => planObject(object, input));
  const failures = ended.flatMap((one): unknown[] => (one.status === "rejected" ? [one.reason] : []));
  const isRefusal = (error: unknown): boolean =>
    error instanceof ObjectRejectedError || error instanceof NotOwnedError;
  if (failures.length > 0) throw failures.find(isRefusal) ?? failures[0];
  return new Map(
    ended.flatMap((one, index): [ObjectId, PlannedAction][] => {
      const id = objects[index]?.id;
      return id !== undefined && one.status === "fulfilled" ? [[id, one.value]] : [];
    }),
  );
}

/** The objects that are deleted after all objects are applied, or after approval. Pure. */
export function planPrune({ now, later, held }: PruneDecision): ReadonlyMap<ObjectId, PlannedAction> {
  const gone = [...now, ...later].map(({ id }) => [id, "delete"] as const);
  return new Map([...gone, ...(held?.objects ?? []).map(({ id }) => [id, "hold"] as const)]);
}

async function planObject(object: DesiredObject, input: PlanObjectsInput): Promise<PlannedAction> {
  const { kind } = object;
  // The CRD of its kind is one of the objects.
  if (kind === undefined) return "create";
  const live = input.observed(object);
  try {
    return await tryDecision(decide(object, live, input), kind, input);
  } catch (error) {
    if (error instanceof AlreadyThereError) return await claim(object, kind, input);
    if (!isUndecidable(error, object, input.prepared)) throw error;
    return live === undefined ? "create" : "change";
  }
}

/** Plans the action for an existing object that is not in our set: an error if it has another owner, or its adoption. */
async function claim(
  object: DesiredObject,
  kind: ObjectKind,
  input: PlanObjectsInput,
): Promise<PlannedAction> {
  const { id, manifest, isEnsured } = object;
  const { resource } = input.release;
  const { name, namespace } = manifest.metadata;
  const found = await input.cluster.read({ kind, name, namespace });
  if (found === undefined) throw new ReplacedError(id);
  if (isEnsured) return "keep";
  const ownership = decideOwnership(found, resource, input.prepared.set);
  if (ownership.whose === "foreign") throw new NotOwnedError(id, ownership.owner);
  return await tryDecision(decide(object, found, input), kind, input);
}

function decide(
  object: DesiredObject,
  live: LiveObject | undefined,
  { release: { resource }, prepared: desired, isSettled, shapeOf }: PlanObjectsInput,
): Decision | "done" {
  const finished = resource.status?.inventory?.finished;
  return decideAlone(object, { resource, desired, observed: () => live, isSettled, shapeOf, finished });
}

async function tryDecision(
  decision: Decision | "done",
  kind: ObjectKind,
  { cluster }: PlanObjectsInput,
): Promise<PlannedAction> {
  if (decision === "done" || decision.does === "keep") return "keep";
  // A terminating object is recreated after its deletion.
  if (decision.does !== "apply") return "replace";
  const { manifest, guard, only } = decision.step;
  // If only the metadata changes, the apply patches it. A dry run of the manifest would not be the same request.
  if (only === undefined) await cluster.apply(kind, manifest, guard);
  return guard.mode === "create" ? "create" : "change";
}

/** Whether a dry run cannot decide: the object needs others of the same commit, or a webhook does not support dry runs. */
function isUndecidable(error: unknown, { manifest }: DesiredObject, { objects }: DesiredSet): boolean {
  const { namespace } = manifest.metadata;
  if (error instanceof ApiUnavailableError && error.status === 404)
    return namespace !== undefined && objects.some(({ id }) => id === `/Namespace//${namespace}`);
  if (!(error instanceof ObjectRejectedError)) return false;
  if (/does not support dry run/.test(error.message)) return true;
  const { apiVersion, kind } = manifest;
  return (
    error.isBySchema &&
    ownKindsOf(objects.map((other) => other.manifest)).has(`${groupOf(apiVersion)}/${kind}`)
  );
}
