import type { Health, HealthStatus } from "../../operator/engine/health/health.ts";
import type { ObjectId } from "../../synth/manifest.ts";

/** One object of a Release, or one that such an object owns. */
export interface TreeNode {
  readonly id: ObjectId;
  readonly kind: string;
  /** Empty: none. */
  readonly namespace: string;
  readonly name: string;
  /** `Unknown`: it cannot be read; the message has the reason. */
  readonly health: HealthStatus | "Unknown";
  /** For users; may be empty if the object is healthy. */
  readonly message: string;
  readonly children: readonly TreeNode[];
}

/** The node of an object id. Pure. */
export function nodeOf(
  id: ObjectId,
  { status, message }: Pick<Health, "message"> & { readonly status: TreeNode["health"] },
  children: readonly TreeNode[] = [],
): TreeNode {
  const [, kind = "", namespace = "", ...name] = id.split("/");
  return { id, kind, namespace, name: name.join("/"), health: status, message, children };
}

/** Whether a node and all nodes below it are healthy. Pure. */
export function isWell({ health, children }: TreeNode): boolean {
  return (health === "Current" || health === "Suspended") && children.every(isWell);
}
