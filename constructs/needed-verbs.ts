import type { ObjectKind } from "../crds/object.ts";

/** A kind that something has to be allowed for. */
export type Need = Pick<ObjectKind, "group" | "plural" | "namespaced">;

/** Watched objects need no `get`. */
export const look = ["list", "watch"] as const;
/** One read decides whose an object is that stands where ours should be. */
export const own = ["get", ...look, "create", "patch", "delete"] as const;
