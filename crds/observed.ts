import type { LiveObject, ObjectKind } from "./object.ts";

/**
 * The children and related objects of a resource as the operator last saw them: a read-only view, so that a chart can
 * depend on earlier results and is still a pure function. Objects are sorted by name. Terminating objects are included:
 * check `deletionTimestamp`.
 */
export interface Observed {
  list(kind: ObjectKind): readonly LiveObject[];
  find(kind: ObjectKind, name: string): LiveObject | undefined;
}
