import type { OwnCondition } from "../crds/binding.ts";
import { Deployment } from "../crds/core-kinds.ts";
import { instantMs, type KindClock, type KindContext, type Verdict } from "../crds/kind-context.ts";
import { dnsSubdomain, serviceName } from "../crds/names.ts";
import type { LiveObject } from "../crds/object.ts";
import type { Observed } from "../crds/observed.ts";
import type { KindState } from "../crds/record.ts";
import {
  type RuntimeRecord,
  type RuntimeResource,
  type RuntimeSpec,
  runtimeAnnotations,
} from "../crds/runtime.ts";

/** Type of the condition that warns of the end. */
export const EXPIRING = "Expiring";

type RuntimeState = KindState<RuntimeResource, RuntimeRecord>;

/**
 * The next record of a Runtime. A new value of the annotation restarts it, which resets the times. The initial value of
 * the annotation is not a restart. Pure.
 */
export function foldRuntime(
  previous: Partial<RuntimeRecord>,
  { resource, observed }: { readonly resource: RuntimeResource; readonly observed: Observed },
): RuntimeRecord {
  const { annotations = {} } = resource.metadata;
  const restartedAt = annotations[runtimeAnnotations.restartedAt] ?? previous.restartedAt;
  const isRestart = previous.restarts !== undefined && restartedAt !== previous.restartedAt;
  const restarts = (previous.restarts ?? 0) + (isRestart ? 1 : 0);
  const deployment = observed.find(Deployment, dnsSubdomain(resource.metadata.name));
  const readyAt = (isRestart ? undefined : previous.readyAt) ?? readySince(deployment, restartedAt);
  const countedFrom = countFrom(resource, { readyAt, restarts });
  return { restarts, restartedAt, readyAt, countedFrom };
}

function countFrom(
  { metadata, spec }: RuntimeResource,
  { readyAt, restarts }: Pick<RuntimeRecord, "readyAt" | "restarts">,
): string | undefined {
  // The time of a restart on request is recorded nowhere, so the time counts from when it was ready.
  if (spec?.after === "created" && restarts === 0) return metadata.creationTimestamp;
  if (spec?.after !== "idle" || readyAt === undefined) return readyAt;
  const usedAt = activityOf({ metadata, spec });
  return usedAt === undefined || instantMs(usedAt) < instantMs(readyAt) ? readyAt : usedAt;
}

/** Returns when a Runtime was last used; undefined if the annotation is absent or not an RFC 3339 time. */
function activityOf({ metadata, spec }: Pick<RuntimeResource, "metadata" | "spec">): string | undefined {
  const usedAt = metadata.annotations?.[annotationOf(spec)];
  return usedAt !== undefined && isInstant(usedAt) ? usedAt : undefined;
}

function annotationOf({ idleAnnotation = runtimeAnnotations.lastActivity }: RuntimeSpec): string {
  return idleAnnotation;
}

function isInstant(text: string): boolean {
  try {
    return Number.isFinite(instantMs(text));
  } catch {
    return false;
  }
}

/** Problems of a Runtime that are ignored. Pure. */
export function warnAboutRuntime({ metadata, spec }: RuntimeResource): readonly string[] {
  if (spec?.after !== "idle") return [];
  const name = annotationOf(spec);
  const usedAt = metadata.annotations?.[name];
  return usedAt === undefined || isInstant(usedAt)
    ? []
    : [`annotation "${name}" is "${usedAt}", which is not a time in RFC 3339`];
}

interface DeploymentFields {
  readonly spec?: {
    readonly replicas?: number;
    readonly template?: { readonly metadata?: LiveObject["metadata"] };
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly updatedReplicas?: number;
    readonly availableReplicas?: number;
    readonly conditions?: readonly (OwnCondition & { readonly lastTransitionTime?: string })[];
  };
}

/**
 * Since when the pod of the current start is available; undefined: it is not. Times are not compared: the pod template
 * contains the start, and the Deployment reports which template its status describes.
 */
function readySince(live: LiveObject | undefined, restartedAt: string | undefined): string | undefined {
  if (live === undefined || live.metadata.deletionTimestamp !== undefined) return undefined;
  const { spec, status } = live as DeploymentFields;
  const made = spec?.template?.metadata?.annotations?.[runtimeAnnotations.restartedAt];
  if (made !== restartedAt || spec?.replicas === 0) return undefined;
  if ((status?.observedGeneration ?? 0) < (live.metadata.generation ?? 0)) return undefined;
  if (!status?.updatedReplicas || !status.availableReplicas) return undefined;
  const available = status.conditions?.find(({ type, status: is }) => type === "Available" && is === "True");
  return available?.lastTransitionTime;
}

/** When the time of a Runtime is over; undefined: the time has not started. Pure. */
export function expiryOf(
  spec: Pick<RuntimeSpec, "ttlSeconds"> | undefined,
  { countedFrom }: Pick<RuntimeRecord, "countedFrom">,
): string | undefined {
  if (countedFrom === undefined || typeof spec?.ttlSeconds !== "number") return undefined;
  return secondsAfter(countedFrom, spec.ttlSeconds);
}

function secondsAfter(instant: string, seconds: number): string {
  return `${new Date(instantMs(instant) + seconds * 1_000).toISOString().slice(0, 19)}Z`;
}

/** Whether the time of a Runtime is over. Pure. */
export function isOver(
  spec: Pick<RuntimeSpec, "ttlSeconds"> | undefined,
  { record, clock }: KindContext<RuntimeRecord>,
): boolean {
  const expiresAt = expiryOf(spec, record);
  return expiresAt !== undefined && clock.reached(expiresAt);
}

/** Why a Runtime is to be deleted now; undefined: it is not. Pure. */
export function retireRuntime({ resource: { spec }, record, clock }: RuntimeState): string | undefined {
  if (spec?.onExpiry === "stop" || !isOver(spec, { record, clock })) return undefined;
  return `it expired at ${expiryOf(spec, record)}`;
}

/** A stopped Runtime is healthy, although none of its pods run. Pure. */
export function judgeRuntime({ resource: { spec }, record, clock }: RuntimeState): Verdict | undefined {
  if (spec?.onExpiry !== "stop" || !isOver(spec, { record, clock })) return undefined;
  const message = `stopped: it expired at ${expiryOf(spec, record)}; raise spec.ttlSeconds to continue`;
  return { status: "Suspended", message };
}

interface OwnStatus {
  readonly phase: "Starting" | "Running" | "Stopped" | "Expired";
  readonly address?: string;
  readonly expiresAt?: string;
  readonly conditions: readonly OwnCondition[];
}

/** The status of a Runtime beside its record. Pure. */
export function reportRuntime(
  resource: RuntimeResource,
  observed: Observed,
  // A Runtime that is rendered without a cluster has no record.
  { record, clock }: Partial<KindContext<RuntimeRecord>> = {},
): OwnStatus {
  const { metadata, spec } = resource;
  const expiresAt = expiryOf(spec, record ?? {});
  const port = spec?.template?.ports?.[0]?.port;
  const host = `${serviceName(metadata.name)}.${metadata.namespace}.svc`;
  const shown = {
    ...(port !== undefined && { address: `${host}:${port}` }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
  if (expiresAt !== undefined && clock?.reached(expiresAt) === true)
    return { phase: spec?.onExpiry === "stop" ? "Stopped" : "Expired", ...shown, conditions: [] };
  const deployment = observed.find(Deployment, dnsSubdomain(metadata.name));
  const isReady = readySince(deployment, record?.restartedAt) !== undefined;
  const conditions = warningOf(spec, expiresAt, clock);
  return { phase: isReady ? "Running" : "Starting", ...shown, conditions };
}

/** The condition that warns of the end, while the end is near. */
function warningOf(
  spec: RuntimeSpec | undefined,
  expiresAt: string | undefined,
  clock: KindClock | undefined,
): readonly OwnCondition[] {
  const { warnBeforeSeconds = 300, onExpiry = "delete" } = spec ?? {};
  if (expiresAt === undefined) return [];
  if (clock?.reached(secondsAfter(expiresAt, -warnBeforeSeconds)) !== true) return [];
  const what = onExpiry === "stop" ? "Stops" : "Is deleted";
  const message = `${what} at ${expiresAt}; raise spec.ttlSeconds to keep it longer`;
  return [{ type: EXPIRING, status: "True", reason: EXPIRING, message }];
}
