import type { Reason } from "../../crds/conditions.ts";
import type { SourceProblem } from "../../crds/kind-source.ts";
import type { KubernetesObject, LiveObject } from "../../crds/object.ts";
import { type ObjectId, stamps } from "../../synth/manifest.ts";
import {
  AlreadyThereError,
  ApiUnavailableError,
  NotLeadingError,
  NotOwnedError,
  ObjectRejectedError,
  ReplacedError,
  SpecInvalidError,
} from "../errors.ts";
import { describeId } from "./object-text.ts";

/** Why a resource makes no progress until it, or another object, is edited. */
export type RefusalReason = Extract<
  Reason,
  | "SpecInvalid"
  | "ApplyRejected"
  | "ImmutableField"
  | "NotOwned"
  | "DependencyCycle"
  | "KindNotWatched"
  | "PruneHeld"
  | "PolicyRefused"
  | "DigestMismatch"
>;

/** Why a resource waits. */
export type WaitingReason = Extract<
  Reason,
  | "Progressing"
  | "DependencyNotReady"
  | "PinPending"
  | "KindUnknown"
  | "Deleting"
  | "SourcePending"
  | SourceProblem["reason"]
>;

/** Result of applying a resource's objects. */
export type ApplyOutcome =
  /** `waiting`: the remaining work after all is applied, such as objects whose deletion takes long. */
  | { readonly state: "applied"; readonly count: number; readonly waiting?: string }
  /**
   * For example for objects that must be deleted before they can be recreated. `isWatched`: an event requeues the
   * resource. Default reason: Progressing.
   */
  | {
      readonly state: "waiting";
      readonly reason?: WaitingReason;
      readonly message: string;
      readonly isWatched: boolean;
      /** Reported only after it has lasted for long; see LongHolds. */
      readonly isQuiet?: boolean;
    }
  /** Retried only after an edit, except `NotOwned` and contested values, which recover when the other object is deleted. */
  | {
      readonly state: "refused";
      readonly reason: RefusalReason;
      readonly message: string;
      readonly isContested?: true;
    }
  /** A failure that may not occur again; reported. */
  | { readonly state: "failed"; readonly message: string }
  /** Another writer was faster, or this instance no longer leads: retried without a report. */
  | { readonly state: "retry" };

/**
 * Describes an error of synthesizing or applying.
 *
 * @param owner The resource's kind and name: `Echo/hello`.
 * @param options.namespace Namespace of the resource, where it has one.
 */
export function describeFailure(
  error: unknown,
  owner: string,
  { namespace }: { readonly namespace?: string | undefined } = {},
): ApplyOutcome {
  if (error instanceof SpecInvalidError)
    return { state: "refused", reason: "SpecInvalid", message: error.message };
  if (error instanceof NotOwnedError) {
    const message =
      `${describeId(error.id)} exists and belongs to ${error.owner}, so it is not changed. Delete or rename it, ` +
      `or hand it over: annotate it with ${stamps.adoptBy}: ${nameFor(error.id, owner, namespace).toLowerCase()}`;
    return { state: "refused", reason: "NotOwned", message };
  }
  if (error instanceof ObjectRejectedError) return describeRejection(error);
  if (
    error instanceof AlreadyThereError ||
    error instanceof ReplacedError ||
    error instanceof NotLeadingError
  ) {
    return { state: "retry" };
  }
  return { state: "failed", message: error instanceof Error ? error.message : String(error) };
}

/** Whether a failure is retried without a report: a lost race, a lost lease, an unresponsive server. Pure. */
export function isTransient({ state }: { readonly state: string }, error: unknown): boolean {
  const isOutage = error instanceof ApiUnavailableError && [0, 429, 503, 504].includes(error.status);
  return state === "retry" || isOutage || error instanceof NotLeadingError;
}

/** How an object's annotation names a resource: with its namespace, unless the object is in that one. */
function nameFor(id: ObjectId, owner: string, namespace: string | undefined): string {
  const [, , near = ""] = id.split("/");
  if (namespace === undefined || namespace === near) return owner;
  return owner.replace("/", `/${namespace}/`);
}

/** Describes which objects are awaited. */
export function describeWaiting(objects: readonly LiveObject[], set: string): ApplyOutcome {
  const names = objects.map(describeObject).toSorted();
  const isWatched = objects.every(({ metadata }) => metadata.labels?.[stamps.set] === set);
  return {
    state: "waiting",
    message: `Waiting for ${listNames(names)} to be deleted before recreating it`,
    isWatched,
  };
}

function describeRejection({ id, immutableField, isContested, message }: ObjectRejectedError): ApplyOutcome {
  const prefix = `Cannot apply "${id}": `;
  const why = message.startsWith(prefix) ? message.slice(prefix.length) : message;
  if (immutableField === undefined) {
    const refused = `The API server refuses ${describeId(id)}: ${why}`;
    if (!isContested) return { state: "refused", reason: "ApplyRejected", message: refused };
    const hint = "Choose another one, or free it; the operator then applies the object";
    return { state: "refused", reason: "ApplyRejected", message: `${refused}. ${hint}`, isContested };
  }
  const refused =
    `${immutableField} of ${describeId(id)} cannot be changed: ${why}. Revert the change, or delete the object ` +
    "to have it recreated";
  return { state: "refused", reason: "ImmutableField", message: refused };
}

/** `Deployment shop/web`, for users. */
export function describeObject({ kind, metadata }: Pick<KubernetesObject, "kind" | "metadata">): string {
  return `${kind} ${metadata.namespace === undefined ? "" : `${metadata.namespace}/`}${metadata.name}`;
}

/** At most three names, and how many more there are. */
export function listNames(names: readonly string[]): string {
  const [shown, rest] = [names.slice(0, 3).join(", "), names.length - 3];
  return rest > 0 ? `${shown} and ${rest} more` : shown;
}
