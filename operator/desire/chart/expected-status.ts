import type { BoundKind } from "../../../crds/binding.ts";
import type { Recorded } from "../../../crds/kind-context.ts";
import type { CustomResource } from "../../../crds/object.ts";
import type { EngineStatus } from "../../../crds/status.ts";
import { idOf } from "../../../synth/manifest.ts";
import { healthOf } from "../../engine/health/verdict.ts";
import type { ApplyOutcome } from "../../engine/outcome.ts";
import { type ResourceStatus, timestampOf } from "../../engine/status.ts";
import { SpecInvalidError } from "../../errors.ts";
import { type ConvergeKindOptions, synthesizeOrRefuse } from "./converge-kind.ts";
import type { Loaded } from "./load.ts";
import { type ReportKindOptions, standingIn, statusOf, verdictOf } from "./report-kind.ts";

export type ExpectedStatusOptions = Pick<ReportKindOptions, "kind" | "kindClock" | "clock" | "publisher"> &
  Pick<ConvergeKindOptions, "synthesize">;

/**
 * Predicts the status of a resource with another record, so that one write contains both. Undefined: the status also depends
 * on the result of the apply.
 */
export function expectedStatus(
  loaded: Loaded,
  record: Recorded,
  options: ExpectedStatusOptions,
): ResourceStatus | undefined {
  const { kind, clock, publisher } = options;
  if (kind.retire !== undefined || !areObjectsMadeOnce(kind)) return undefined;
  const recorded = { ...loaded, resource: withRecord(loaded.resource, record, kind) };
  const verdict = verdictOf({ expired: undefined }, recorded, options);
  // The run reports an error of the verdict.
  if (verdict === undefined || verdict instanceof SpecInvalidError) return undefined;
  const outcome = expectedOutcome(loaded, recorded, options);
  if (outcome === undefined) return undefined;
  const converged = { outcome, desired: undefined, expired: undefined };
  const parts = {
    health: healthOf(verdict),
    publish: publisher && ({ state: "skipped" } as const),
    standing: standingIn(recorded, { converged, isJudged: true }, options),
    nowIso: timestampOf(clock.wallClock()),
  };
  return statusOf(recorded, { converged, ...parts }, options);
}

/** Whether all objects of the kind are created once, so that a different chart output does not change or delete any. */
function areObjectsMadeOnce({ children, childRules }: Pick<BoundKind, "children" | "childRules">): boolean {
  return children.every((child) =>
    childRules.some(({ kind, lifetime }) => kind === child && lifetime !== "kept"),
  );
}

function withRecord<Resource extends Pick<CustomResource, "status">>(
  resource: Resource,
  record: Recorded,
  { record: declared }: Pick<BoundKind, "record">,
): Resource {
  const others = Object.entries(resource.status ?? {}).filter(([field]) => !declared?.fields.includes(field));
  return { ...resource, status: { ...Object.fromEntries(others), ...record } };
}

/** Predicts the outcome of the apply: all objects exist, or new ones are created, which is not reported yet. Undefined: not known. */
function expectedOutcome(
  { resource, owned }: Loaded,
  recorded: Loaded,
  options: ExpectedStatusOptions,
): ApplyOutcome | undefined {
  const wasApplied = isApplied(resource);
  // If the last apply was not complete, the outcome is not known in advance.
  if (!wasApplied && resource.status !== undefined) return undefined;
  try {
    const { manifests, additions } = synthesizeOrRefuse(recorded, options);
    const there = new Set(owned.map(({ id }) => id));
    const areThere = manifests.every((manifest) => there.has(idOf(manifest)));
    if (wasApplied)
      return areThere ? { state: "applied", count: manifests.length + additions.length } : { state: "retry" };
    return manifests.length + additions.length === 0 ? { state: "applied", count: 0 } : undefined;
  } catch (error) {
    // The run reports this error.
    if (error instanceof SpecInvalidError) return undefined;
    throw error;
  }
}

/** Whether all objects of the current spec were applied. */
function isApplied({ metadata, status }: CustomResource): boolean {
  const { observedGeneration, conditions = [] } = (status ?? {}) as EngineStatus;
  if (metadata.generation === undefined || observedGeneration !== metadata.generation) return false;
  const applied = conditions.find(({ type }) => type === "Applied");
  return applied?.status === "True" && applied.observedGeneration === metadata.generation;
}
