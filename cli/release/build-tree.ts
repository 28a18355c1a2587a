import type { LiveObject } from "../../crds/object.ts";
import { applyStageOf } from "../../operator/engine/apply-stage.ts";
import type { Health } from "../../operator/engine/health/health.ts";
import { idOf, type ObjectId } from "../../synth/manifest.ts";
import { nodeOf, type TreeNode } from "./tree-node.ts";

export interface BuildTreeInput {
  /** Ids of the recorded objects of the Release. */
  readonly inventory: readonly ObjectId[];
  /** Those that may have been deleted by themselves after they finished. */
  readonly finished: ReadonlySet<ObjectId>;
  /** Objects with the label of the Release's set. */
  readonly owned: readonly LiveObject[];
  /** Objects that they may own. */
  readonly behind: readonly LiveObject[];
  /** Why objects of a kind in a namespace could not be read, by {@link placeOf}. */
  readonly unread: ReadonlyMap<string, string>;
  readonly assess: (live: LiveObject, pods: readonly LiveObject[]) => Health;
}

/** Limit for owner references that form a cycle. */
const deepest = 5;

/** Key of the objects of one kind in one namespace: `apps/Deployment/shop`. Pure. */
export function placeOf(id: ObjectId): string {
  return id.split("/", 3).join("/");
}

/**
 * The objects of a Release in the order of applying, each with the objects that it owns. A recorded object that does not
 * exist is still a node. Pure.
 */
export function buildTree({
  inventory,
  finished,
  owned,
  behind,
  unread,
  assess,
}: BuildTreeInput): readonly TreeNode[] {
  const live = new Map(owned.map((object) => [idOf(object), object]));
  const ownedUids = new Set(owned.map(({ metadata }) => metadata.uid));
  const byOwner = Map.groupBy(
    behind
      .filter(({ metadata }) => !ownedUids.has(metadata.uid))
      .flatMap((object) => (object.metadata.ownerReferences ?? []).map(({ uid }) => ({ uid, object }))),
    ({ uid }) => uid,
  );
  const behindOf = ({ metadata }: LiveObject): readonly LiveObject[] =>
    (byOwner.get(metadata.uid) ?? []).map(({ object }) => object).filter(isInUse);
  const nodeOfLive = (object: LiveObject, depth: number): TreeNode => {
    const children = depth === 0 ? [] : behindOf(object).map((child) => nodeOfLive(child, depth - 1));
    const pods = podsBehind(object, behindOf, depth);
    return nodeOf(idOf(object), assess(object, pods), children.toSorted(byId));
  };
  const ids = new Set([...inventory, ...live.keys()]);
  return [...ids]
    .map((id) => nodeOfId(id, live.get(id), { unread, finished, nodeOfLive }))
    .toSorted(inApplyOrder);
}

function nodeOfId(
  id: ObjectId,
  object: LiveObject | undefined,
  {
    unread,
    finished,
    nodeOfLive,
  }: Pick<BuildTreeInput, "unread" | "finished"> & {
    readonly nodeOfLive: (object: LiveObject, depth: number) => TreeNode;
  },
): TreeNode {
  if (object !== undefined) return nodeOfLive(object, deepest);
  const why = unread.get(placeOf(id));
  if (why !== undefined) return nodeOf(id, { status: "Unknown", message: why });
  if (finished.has(id))
    return nodeOf(id, { status: "Current", message: "finished, and deleted after its time to live" });
  return nodeOf(id, { status: "NotFound", message: "does not exist" });
}

function podsBehind(
  object: LiveObject,
  behindOf: (object: LiveObject) => readonly LiveObject[],
  depth: number,
): readonly LiveObject[] {
  if (depth === 0) return [];
  return behindOf(object).flatMap((child) =>
    child.kind === "Pod" ? [child] : podsBehind(child, behindOf, depth - 1),
  );
}

/** A ReplicaSet of an earlier template is kept for the history, and its health is not relevant. */
function isInUse(object: LiveObject): boolean {
  if (object.kind !== "ReplicaSet") return true;
  return (object["spec"] as { readonly replicas?: number } | undefined)?.replicas !== 0;
}

function inApplyOrder(a: TreeNode, b: TreeNode): number {
  return stageOfNode(a) - stageOfNode(b) || byKind(a, b) || byId(a, b);
}

function stageOfNode({ id, kind }: TreeNode): number {
  const [group = ""] = id.split("/", 1);
  return applyStageOf({ apiVersion: group === "" ? "v1" : `${group}/v1`, kind });
}

function byKind(a: TreeNode, b: TreeNode): number {
  return a.kind < b.kind ? -1 : Number(a.kind > b.kind);
}

function byId(a: TreeNode, b: TreeNode): number {
  return a.id < b.id ? -1 : Number(a.id > b.id);
}
