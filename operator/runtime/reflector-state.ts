import { apiVersionOf, groupKindOf, type ObjectKind } from "../../crds/object.ts";
import type { Finding } from "./reflector-next.ts";

/** The state of a reflector, for readiness, for the sweep of git and for users. */
export interface ReflectorState {
  readonly state: "starting" | "synced" | "waiting-for-kind" | "initializing" | "forbidden" | "failing";
  /** The problem, and what to do; empty while there is none. */
  readonly message: string;
  /** Since when it is initializing; monotonic clock. */
  readonly sinceMs?: number;
}

export interface Failed {
  readonly kind: ObjectKind;
  readonly verb: "list" | "watch";
  readonly error: unknown;
  /** The state before. */
  readonly before: ReflectorState;
  /** Monotonic clock. */
  readonly nowMs: number;
}

/** If an API server needs longer than this for its cache, the record is a warning. */
const longestInitializationMs = 30_000;

/** Constant texts, so that users can search for them; details are in the fields. */
export const complaints: Readonly<Record<Exclude<ReflectorState["state"], "synced">, string>> = {
  starting: "Not watching yet",
  "waiting-for-kind": "Waiting for a kind that the API server does not serve",
  initializing: "Waiting for the API server to fill its cache of a kind",
  forbidden: "Not allowed to watch",
  failing: "Cannot watch",
};

/** The level of the log record of a state: an API server that fills its cache is normal. Pure. */
export function levelOf({ state }: ReflectorState): "info" | "warn" {
  return state === "initializing" ? "info" : "warn";
}

/** Describes why a kind cannot be watched. */
export function describeFailure(finding: Finding, failed: Failed): ReflectorState {
  const { kind, verb, error, before, nowMs } = failed;
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
    case "initializing": {
      const { sinceMs = nowMs } = before;
      // A reported problem still exists.
      const isProblem = before.state === "failing" || nowMs - sinceMs >= longestInitializationMs;
      if (!isProblem) return { state: "initializing", message: why, sinceMs };
      return { state: "failing", message: why };
    }
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
