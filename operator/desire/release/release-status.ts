import type { Condition } from "../../../crds/conditions.ts";
import type { Inventory } from "../../../crds/inventory.ts";
import {
  type NextPlan,
  type ReleaseHistoryEntry,
  type ReleaseResource,
  type ReleaseStatus,
  releaseAnnotations,
} from "../../../crds/release.ts";
import { shortId } from "../../../crds/short-id.ts";
import { isSameJson } from "../../../synth/same-json.ts";
import { countsAsHealthy, type Health } from "../../engine/health/health.ts";
import { inventoryOf } from "../../engine/inventory.ts";
import { type ResourceStatus, type StatusInput, withEngineFields } from "../../engine/status.ts";
import type { KnownDeployed } from "./deployed-revision.ts";
import { composeDeployed } from "./deployed-state.ts";
import type { SeenHealth } from "./health-times.ts";
import { nextHistory } from "./history.ts";
import { describeIgnored } from "./ignored.ts";
import { stageOf } from "./pipeline-pin.ts";
import { composeReleaseConditions } from "./release-conditions.ts";
import type { ReleaseOutcome, SourceReport } from "./release-outcome.ts";

/**
 * Time for which the status of a Release that is not healthy yet is withheld. Most Releases are healthy after it, so that one
 * write is enough.
 */
export const releaseStatusDelayMs = 2_000;

export interface ReleaseStatusInput {
  /** The Release from the store, with its last written status. */
  readonly resource: ReleaseResource;
  readonly outcome: ReleaseOutcome;
  /** The health of all objects; undefined: they were not assessed. */
  readonly health: Health | undefined;
  /** `skipped`: there is a repository, but this run offered nothing to it. Undefined: there is none. */
  readonly publish: StatusInput["publish"];
  /** Undefined: there is no new information about it. */
  readonly source: SourceReport | undefined;
  /** Added to the message of `Ready` while it is true. */
  readonly notice?: string | undefined;
  /** See {@link composeReleaseConditions}. */
  readonly isSourceLost: boolean | undefined;
  /** Undefined: there is no new information about it. */
  readonly deployed?: KnownDeployed | undefined;
  /** Undefined: its objects were not assessed. */
  readonly seen?: SeenHealth | undefined;
  /** The plan of a commit that is not deployed, if one is requested. Undefined: unchanged. */
  readonly next?: { readonly plan: NextPlan | undefined } | undefined;
  /** Digest over all prepared manifests; undefined: there are none. */
  readonly digest: string | undefined;
  /** Undefined: unchanged. */
  readonly inventory: Inventory | undefined;
  /** Wall clock, RFC 3339. */
  readonly nowIso: string;
}

/**
 * Composes the status of a Release. Without changes, the result equals the existing status. A new head without a change in the
 * Release's files does not cause a write, and neither does a field that an earlier version did not write; both are part of
 * the next write. Pure.
 */
export function composeReleaseStatus(input: ReleaseStatusInput): ResourceStatus {
  const { resource, source } = input;
  const previous: Partial<ReleaseStatus> = resource.status ?? {};
  const head = source?.head.id ?? previous.observedHead;
  const deployed = input.deployed?.value ?? previous.deployed;
  const isUnwritten = previous.deployed === undefined && input.deployed?.hasMoved !== true;
  // A Pipeline uses these fields for decisions, so write every change of them for a Release of a stage.
  const isOfStage = stageOf(resource.spec) !== undefined;
  const quiet = compose(input, previous, {
    observedHead: previous.observedHead ?? head,
    // Do not write a status only to add these fields: a CRD may drop them.
    isShort: previous.shortRevision !== undefined || previous.revision === undefined,
    deployed: isUnwritten && !isOfStage ? undefined : deployed,
    isDetailed: isOfStage,
  });
  return isSameJson(quiet, previous)
    ? quiet
    : compose(input, previous, { observedHead: head, isShort: true, deployed, isDetailed: true });
}

interface Extent extends Pick<Partial<ReleaseStatus>, "observedHead" | "deployed"> {
  /** Whether the status has the short revision as well. */
  readonly isShort: boolean;
  /** Whether digest and times of the deployed state are composed again. */
  readonly isDetailed: boolean;
}

function compose(
  input: ReleaseStatusInput,
  previous: Partial<ReleaseStatus>,
  { observedHead, isShort, isDetailed, ...extent }: Extent,
): ResourceStatus {
  const { resource, outcome, publish, source } = input;
  // A source that has not been polled yet is not observed.
  const isUnseen = outcome.state === "pending" && previous.revision !== undefined;
  const generation = isUnseen ? previous.observedGeneration : resource.metadata.generation;
  const isWorkedOn = outcome.state !== "suspended" && outcome.state !== "deleting";
  const attempted = (isWorkedOn ? source?.changed.id : undefined) ?? previous.attempted;
  const revision = (outcome.state === "applied" ? source?.changed.id : undefined) ?? previous.revision;
  const request = handledRequestOf(input) ?? previous.lastHandledRequest;
  const ignored = isUnseen ? previous.ignored : describeIgnored(resource);
  const inventory = input.inventory ?? inventoryOf(resource);
  const history = historyOf(input, previous.history);
  const conditions = composeReleaseConditions({ ...input, previous: conditionsFor(attempted, previous) });
  const composed = composeDeployed({
    previous: previous.deployed,
    deployed: extent.deployed,
    history,
    appliedDigest: outcome.state === "applied" ? input.digest : undefined,
    generation: resource.metadata.generation,
    conditions,
    seen: input.seen,
  });
  const { revision: _, tree: __, ...details } = previous.deployed ?? {};
  const deployed =
    isDetailed || composed === undefined
      ? composed
      : { revision: composed.revision, tree: composed.tree, ...details };
  const next = input.next === undefined ? previous.next : input.next.plan;
  const own = {
    ...(revision !== undefined && { revision }),
    ...(revision !== undefined && isShort && { shortRevision: shortId(revision) }),
    ...(deployed !== undefined && { deployed }),
    ...(ignored !== undefined && { ignored }),
    ...(attempted !== undefined && { attempted }),
    ...(observedHead !== undefined && { observedHead }),
    ...(request !== undefined && { lastHandledRequest: request }),
    ...(inventory !== undefined && { inventory }),
    ...(history !== undefined && { history: [...history] }),
    ...(next !== undefined && { next }),
  };
  return withEngineFields(own, { previous, generation, publish, conditions });
}

/** The handled request for a poll: handled by a poll of the source, or by a failure that prevents a poll. */
function handledRequestOf({ resource, outcome, source }: ReleaseStatusInput): string | undefined {
  if (outcome.state === "unsourced") return outcome.handledRequest;
  const isUnasked = outcome.state === "waiting" && outcome.reason === "PinPending";
  const isLookedAt = (outcome.state !== "refused" && !isUnasked) || source !== undefined;
  return isLookedAt
    ? source?.handledRequest
    : resource.metadata.annotations?.[releaseAnnotations.requestedAt];
}

/** The previous conditions. For another commit, without a false `Applied`, so that its timeout starts now. */
function conditionsFor(
  attempted: string | undefined,
  previous: Partial<ReleaseStatus>,
): readonly Condition[] {
  const conditions = (previous.conditions ?? []) as readonly Condition[];
  if (attempted === previous.attempted) return conditions;
  return conditions.filter(({ type, status }) => type !== "Applied" || status !== "False");
}

/** The history. Only a fully applied set is a deployment. */
function historyOf(
  { outcome, health, source, digest, nowIso }: ReleaseStatusInput,
  history: readonly ReleaseHistoryEntry[] | undefined,
): readonly ReleaseHistoryEntry[] | undefined {
  if (outcome.state !== "applied" || source === undefined || digest === undefined) return history;
  return nextHistory(history, { commit: source.changed, digest, outcome: outcomeOf(health), nowIso });
}

function outcomeOf(health: Health | undefined): "Progressing" | "Ready" | "Failed" {
  if (health?.status === "Failed") return "Failed";
  return health !== undefined && countsAsHealthy(health) ? "Ready" : "Progressing";
}
