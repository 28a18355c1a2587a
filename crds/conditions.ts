import * as z from "zod";

/** The engine's own conditions; a kind may have others in addition. */
export type ConditionType =
  /** The newest commit of the source is known, and a Release is rendered from it. */
  | "Sourced"
  /** Every object was accepted by the API server. */
  | "Applied"
  /** Every object is healthy. */
  | "Healthy"
  /** `Applied` and `Healthy`, the condition that most users wait for. */
  | "Ready"
  /** The applied manifests are on the branch. Absent without a repository. */
  | "Published"
  /** kstatus: a reconcile is in progress. Present only while true. */
  | "Reconciling"
  /** kstatus: no progress without an edit. Present only while true. */
  | "Stalled"
  /** Its kind would delete it now, but it is declared elsewhere: it has no objects. Present only while true. */
  | "Expired";

export type ConditionStatus = "True" | "False" | "Unknown";

/** Reason of a condition of the engine. A closed set, so that users may write alerts on it. */
export type Reason =
  // Success, or progress
  | "Reconciled"
  | "Applied"
  | "Healthy"
  | "Progressing"
  | "Suspended"
  | "Deleting"
  // The objects
  | "Failed"
  | "SpecInvalid"
  | "ApplyRejected"
  | "ApplyFailed"
  | "ImmutableField"
  | "NotOwned"
  | "DeclaredElsewhere"
  // The objects of a Release
  | "DependencyNotReady"
  | "DependencyCycle"
  | "PinPending"
  | "DigestMismatch"
  | "KindUnknown"
  | "KindNotWatched"
  | "PruneHeld"
  | "PolicyRefused"
  // The git source
  | "Sourced"
  | "SourcePending"
  | "SourceUnreachable"
  | "SourceRefused"
  | "SourceNotFound"
  | "SourceInvalid"
  | "SourceNotVerified"
  | "RenderFailed"
  | "RenderLimit"
  | "RenderQuota"
  | "RenderNotReproducible"
  // The repository
  | "Published"
  | "Pending"
  | "PushRefused"
  | "RepositoryUnreachable"
  | "RepositoryOwned"
  | "PublishRefused";

/** One condition of a resource, in the form of `metav1.Condition`. */
export const Condition = z
  .object({
    type: z.string().min(1).max(316).describe("Type of the condition, such as Ready."),
    status: z.enum(["True", "False", "Unknown"]).describe("Whether the condition is true."),
    reason: z.string().max(1024).describe("Machine-readable cause, in PascalCase."),
    message: z.string().max(32_768).describe("Human-readable explanation, and what to do."),
    lastTransitionTime: z.iso.datetime({ offset: true }).describe("When `status` last changed."),
    observedGeneration: z
      .int()
      .min(0)
      .optional()
      .meta({ format: "int64" })
      .describe("The generation of the resource that this condition describes."),
  })
  .describe("One condition of the resource.");

export type Condition = z.output<typeof Condition>;

/** A list of conditions, one per type: server-side apply and patches merge it by `type`. */
export function conditionsOf<Item extends z.ZodObject>(condition: Item): z.ZodArray<Item> {
  return z
    .array(condition)
    .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"] })
    .describe("Conditions of the resource, one per type.");
}
