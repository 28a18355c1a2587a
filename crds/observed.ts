import type { LiveObject, ObjectKind } from "./object.ts";

/**
 * The children and related objects of a resource as the operator last saw them: a read-only view, so that
 * a chart can depend on what already happened and stays a pure function. Objects are in the order of
 * their names. Terminating objects are included: look at `deletionTimestamp`.
 */
export interface Observed {
  list(kind: ObjectKind): readonly LiveObject[];
  find(kind: ObjectKind, name: string): LiveObject | undefined;
}
