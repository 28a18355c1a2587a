import type { Condition } from "../../../crds/conditions.ts";
import type { Inventory } from "../../../crds/inventory.ts";
import {
  type NextPlan,
  type ReleaseHistoryEntry,
  type ReleaseResource,
  type ReleaseStatus,
  releaseAnnotations,
} from "../../../crds/release.ts";
import { toCanonicalJson } from "../../../synth/digest.ts";
import type { Health } from "../../engine/health/health.ts";
import { type ResourceStatus, type StatusInput, withEngineFields } from "../../engine/status.ts";
import type { KnownDeployed } from "./deployed-revision.ts";
import { composeDeployed } from "./deployed-state.ts";
import type { SeenHealth } from "./health-times.ts";
import { nextHistory } from "./history.ts";
import { describeIgnored } from "./ignored.ts";
import { stageOf } from "./pipeline-pin.ts";
import { composeReleaseConditions } from "./release-conditions.ts";
import { type ReleaseOutcome, type SourceReport, shortId } from "./release-outcome.ts";

/** How long the status of a Release that is not healthy yet is kept back: most are by then, and need one write. */
export const releaseParkingMs = 2_000;

export interface ReleaseStatusInput {
  /** As it is in the store: its status is what was written last. */
  readonly resource: ReleaseResource;
  readonly outcome: ReleaseOutcome;
  /** Of all objects together; undefined when they were not judged. */
  readonly health: Health | undefined;
  /** `skipped`: there is a repository, but nothing was offered to it this time. Undefined: there is none. */
  readonly publish: StatusInput["publish"];
  /** Undefined: nothing new is known of it. */
  readonly source: SourceReport | undefined;
  /** Added to the message of `Ready` while that is true. */
  readonly notice?: string | undefined;
  /** See {@link composeReleaseConditions}. */
  readonly isSourceLost?: boolean | undefined;
  /** Undefined: nothing new is known of it. */
  readonly deployed?: KnownDeployed | undefined;
  /** Undefined: its objects were not assessed. */
  readonly seen?: SeenHealth | undefined;
  /** The plan of a commit that is not deployed, if there is to be one. Undefined: as it was. */
  readonly next?: { readonly plan: NextPlan | undefined } | undefined;
  /** Digest over all manifests, as prepared; undefined: there are none. */
  readonly digest: string | undefined;
  /** Undefined: as it was. */
  readonly inventory: Inventory | undefined;
  /** Wall clock, RFC 3339. */
  readonly nowIso: string;
}

/**
 * The status that a Release should have. Pure, and stable: composed again with nothing changed it is equal to what is
 * there. A head that only moved elsewhere in the repository is not worth a write, and neither is a deployed revision that an
 * earlier version did not write; they are part of the next one.
 */
export function composeReleaseStatus(input: ReleaseStatusInput): ResourceStatus {
  const { resource, source } = input;
  const previous: Partial<ReleaseStatus> = resource.status ?? {};
  const head = source?.head.id ?? previous.observedHead;
  const deployed = input.deployed?.value ?? previous.deployed;
  const isUnwritten = previous.deployed === undefined && input.deployed?.hasMoved !== true;
  // A Pipeline decides by these fields, so that for a Release of a stage each of them is news.
  const isOfStage = stageOf(resource.spec) !== undefined;
  const quiet = compose(input, previous, {
    observedHead: previous.observedHead ?? head,
    // A status from before these fields, or under a CRD without them, is not written for their sake.
    isShort: previous.shortRevision !== undefined || previous.revision === undefined,
    deployed: isUnwritten && !isOfStage ? undefined : deployed,
    isDetailed: isOfStage,
  });
  const isSame = toCanonicalJson(quiet) === toCanonicalJson(previous);
  return isSame
    ? quiet
    : compose(input, previous, { observedHead: head, isShort: true, deployed, isDetailed: true });
}

interface Extent extends Pick<Partial<ReleaseStatus>, "observedHead" | "deployed"> {
  /** Whether the status has the short revision too. */
  readonly isShort: boolean;
  /** Whether digest and times of what is deployed are composed anew. */
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
  const inventory = input.inventory ?? previous.inventory;
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

/** The answered request for a poll: by a poll of the source, or by the reason why there is none. */
function handledRequestOf({ resource, outcome, source }: ReleaseStatusInput): string | undefined {
  if (outcome.state === "unsourced") return outcome.handledRequest;
  const isUnasked = outcome.state === "waiting" && outcome.reason === "PinPending";
  const isLookedAt = (outcome.state !== "refused" && !isUnasked) || source !== undefined;
  return isLookedAt
    ? source?.handledRequest
    : resource.metadata.annotations?.[releaseAnnotations.requestedAt];
}

/** A commit that is not applied is so since it is worked on, not since the one before it was not: its timeout begins then. */
function conditionsFor(
  attempted: string | undefined,
  previous: Partial<ReleaseStatus>,
): readonly Condition[] {
  const conditions = (previous.conditions ?? []) as readonly Condition[];
  if (attempted === previous.attempted) return conditions;
  return conditions.filter(({ type, status }) => type !== "Applied" || status !== "False");
}

/** Only what was applied as a whole is a deployment. */
function historyOf(
  { outcome, health, source, digest, nowIso }: ReleaseStatusInput,
  history: readonly ReleaseHistoryEntry[] | undefined,
): readonly ReleaseHistoryEntry[] | undefined {
  if (outcome.state !== "applied" || source === undefined || digest === undefined) return history;
  return nextHistory(history, { commit: source.changed, digest, outcome: outcomeOf(health), nowIso });
}

function outcomeOf(health: Health | undefined): "Progressing" | "Ready" | "Failed" {
  if (health?.status === "Failed") return "Failed";
  return health?.status === "Current" || health?.status === "Suspended" ? "Ready" : "Progressing";
}
