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

/** Result of the apply of a resource's objects. */
export type ApplyOutcome =
  /** `waiting`: the remaining work after all objects are applied, such as objects whose deletion takes long. */
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
      /** Whether it is reported only after a long time; see LongHolds. */
      readonly isQuiet?: boolean;
    }
  /**
   * Retried only after an edit, except `NotOwned` and contested values, which recover when the other object is deleted, and
   * rejections by the schema of a custom resource's kind, which may be changed.
   */
  | {
      readonly state: "refused";
      readonly reason: RefusalReason;
      readonly message: string;
      readonly isContested?: true;
    }
  /** A failure that may be temporary. It is reported. */
  | { readonly state: "failed"; readonly message: string }
  /** A write conflict, or this instance no longer leads. Retried without a report. */
  | { readonly state: "retry" };

export interface FailureContext {
  readonly namespace?: string | undefined;
  readonly originOf?: ((id: ObjectId) => string | undefined) | undefined;
}

/**
 * Describes an error of the synthesis or the apply.
 *
 * @param owner The resource's kind and name: `Echo/hello`.
 * @param options.namespace Namespace of the resource, if it has one.
 * @param options.originOf Where the manifest of an object comes from: `web/deployment.yaml:12`. Default: not mentioned.
 */
export function describeFailure(
  error: unknown,
  owner: string,
  { namespace, originOf }: FailureContext = {},
): ApplyOutcome {
  if (error instanceof SpecInvalidError)
    return { state: "refused", reason: "SpecInvalid", message: error.message };
  if (error instanceof NotOwnedError) {
    const { id, owner: other } = error;
    const annotate = `annotate it with ${stamps.adoptBy}: ${nameFor(id, owner, namespace).toLowerCase()}`;
    const held = other.heldBy && holds[other.heldBy];
    const hint =
      held === undefined
        ? `Delete or rename it, or hand it over: ${annotate}`
        : `Rename yours, or remove it from its owner first. If it then still exists, remove ${held} and ${annotate}`;
    const message = `${describeId(id)} exists and belongs to ${other.name}, so it is not changed. ${hint}`;
    return { state: "refused", reason: "NotOwned", message };
  }
  if (error instanceof ObjectRejectedError) return describeRejection(error, originOf);
  if (
    error instanceof AlreadyThereError ||
    error instanceof ReplacedError ||
    error instanceof NotLeadingError
  ) {
    return { state: "retry" };
  }
  return { state: "failed", message: error instanceof Error ? error.message : String(error) };
}

/** The parts of an object for which its annotation is ignored. */
const holds = { controller: "its owner reference", set: `its label ${stamps.set}` } as const;

/** Whether a failure is retried without a report: a write conflict, a lost lease, an unresponsive server. Pure. */
export function isTransient({ state }: { readonly state: string }, error: unknown): boolean {
  const isOutage = error instanceof ApiUnavailableError && [0, 429, 503, 504].includes(error.status);
  return state === "retry" || isOutage || error instanceof NotLeadingError;
}

/** The name of a resource in an object's annotation: with the namespace, unless it is the object's namespace. */
function nameFor(id: ObjectId, owner: string, namespace: string | undefined): string {
  const [, , near = ""] = id.split("/");
  if (namespace === undefined || namespace === near) return owner;
  return owner.replace("/", `/${namespace}/`);
}

/** Describes the objects for which a resource waits. */
export function describeWaiting(objects: readonly LiveObject[], set: string): ApplyOutcome {
  const names = objects.map(describeObject).toSorted();
  const isWatched = objects.every(({ metadata }) => metadata.labels?.[stamps.set] === set);
  return {
    state: "waiting",
    message: `Waiting for ${listNames(names)} to be deleted before recreating it`,
    isWatched,
  };
}

function describeRejection(
  { id, immutableField, isContested, message }: ObjectRejectedError,
  originOf: FailureContext["originOf"],
): ApplyOutcome {
  const origin = originOf?.(id);
  const title = origin === undefined ? describeId(id) : `${describeId(id)} (${origin})`;
  const prefix = `Cannot apply "${id}": `;
  const why = message.startsWith(prefix) ? message.slice(prefix.length) : message;
  if (immutableField === undefined) {
    const refused = `The API server refuses ${title}: ${why}`;
    if (!isContested) return { state: "refused", reason: "ApplyRejected", message: refused };
    const hint = "Choose another one, or free it; the operator then applies the object";
    return { state: "refused", reason: "ApplyRejected", message: `${refused}. ${hint}`, isContested };
  }
  const refused =
    `${immutableField} of ${title} cannot be changed: ${why}. Revert the change, or delete the object ` +
    "to have it recreated";
  return { state: "refused", reason: "ImmutableField", message: refused };
}

/** `Deployment shop/web`, for users. */
export function describeObject({ kind, metadata }: Pick<KubernetesObject, "kind" | "metadata">): string {
  return `${kind} ${metadata.namespace === undefined ? "" : `${metadata.namespace}/`}${metadata.name}`;
}

/** At most three names, and the number of the others. */
export function listNames(names: readonly string[]): string {
  const [shown, rest] = [names.slice(0, 3).join(", "), names.length - 3];
  return rest > 0 ? `${shown} and ${rest} more` : shown;
}
