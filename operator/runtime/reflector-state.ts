import { apiVersionOf, groupKindOf, type ObjectKind } from "../../crds/object.ts";

/** The state of a reflector, for readiness, for the sweep of git and for users. */
export interface ReflectorState {
  readonly state: "starting" | "synced" | "waiting-for-kind" | "forbidden" | "failing";
  /** The problem, and what to do; empty while there is none. */
  readonly message: string;
}

export interface Failed {
  readonly kind: ObjectKind;
  readonly verb: "list" | "watch";
  readonly error: unknown;
}

/** Constant, so that one can search for them; the fields say more. */
export const complaints: Readonly<Record<Exclude<ReflectorState["state"], "synced">, string>> = {
  starting: "Not watching yet",
  "waiting-for-kind": "Waiting for a kind that the API server does not serve",
  forbidden: "Not allowed to watch",
  failing: "Cannot watch",
};

/** Says in words what keeps a kind from being watched. */
export function describeFailure(
  finding: "missing" | "forbidden" | "failing",
  failed: Failed,
): ReflectorState {
  const { kind, verb, error } = failed;
  const name = groupKindOf(kind);
  const why = error instanceof Error ? error.message : "the server closed the watch at once";
  switch (finding) {
    case "missing":
      return { state: "waiting-for-kind", message: `${describeMissing(kind)}; waiting until it is` };
    case "forbidden":
      return {
        state: "forbidden",
        message: `Cannot ${verb} ${name}: forbidden; the operator's role needs the verbs list and watch on ${name} (${why})`,
      };
    case "failing":
      // An error of the watch contains its own description.
      return { state: "failing", message: error instanceof Error ? why : `Cannot ${verb} ${name}: ${why}` };
  }
}

function describeMissing(kind: ObjectKind): string {
  const name = groupKindOf(kind);
  // Groups of the API server itself have no dot, or end in .k8s.io.
  const isBuiltIn = !kind.group.includes(".") || kind.group.endsWith(".k8s.io");
  return isBuiltIn
    ? `${name} (${apiVersionOf(kind)}) is not served by this cluster`
    : `CustomResourceDefinition ${name} is not installed, or does not serve ${kind.version}`;
}
