import type { ObjectKind } from "../crds/object.ts";

/** A kind for which permissions are needed. */
export type Need = Pick<ObjectKind, "group" | "plural" | "namespaced">;

/** Watched objects need no `get`. */
export const look = ["list", "watch"] as const;
/** One read determines the owner of an existing object with the name of a desired one. */
export const own = ["get", ...look, "create", "patch", "delete"] as const;
