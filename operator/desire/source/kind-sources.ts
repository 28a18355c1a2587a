import type { BoundKind } from "../../../crds/binding.ts";
import type { GitSource, KindSource, SourceProblem, SpanAuthors } from "../../../crds/kind-source.ts";
import { type CustomResource, groupKindOf, keyOf } from "../../../crds/object.ts";
import { releaseAnnotations } from "../../../crds/release.ts";
import { releaseSource, type SourceSpec } from "../../../crds/source.ts";
import { gitSourceOf } from "../../../synth/source.ts";
import { SynthesisError } from "../../../synth/synthesis-error.ts";
import type { SecretReader } from "../../cluster/found-kinds/ports.ts";
import { ImpersonationError } from "../../cluster/impersonation.ts";
import { longestRetryMs } from "../../engine/requeue.ts";
import { SourceError } from "../../errors.ts";
import type { SourceState, Sources } from "../../git/source/ports.ts";
import { isSameAnswer } from "../../git/source/source-answer.ts";
import { sourceKeyOf } from "../../git/source/tenant.ts";
import type { Clock, Impersonation } from "../../ports.ts";
import type { KindSources } from "../chart/follow-source.ts";
import { allowedSigners } from "../release/allowed-signers.ts";
import { type Limits, type Platform, smallestOf } from "../release/limits.ts";
import { findSourceRefusal } from "../release/policy-refusal.ts";
import { forgetRefused } from "../release/refused-credentials.ts";
import { KnownSpans } from "./known-spans.ts";

export interface KindSourcesOptions {
  readonly kind: Pick<BoundKind, "definition" | "source" | "policy">;
  readonly sources: Pick<Sources, "resolve" | "forget">;
  readonly secrets: SecretReader;
  readonly platform: Pick<Platform, "select" | "allowsLocal">;
  readonly clock: Pick<Clock, "now">;
  /** Called when the authors of commits that a resource has requested are known. */
  readonly onAuthors: (key: string) => void;
}

const defaultIntervalMs = 60_000;
const shortestIntervalMs = 1_000;

/** The sources of the resources of one kind, within the platform's rules for their namespaces. */
export function createKindSources(options: KindSourcesOptions): KindSources {
  const { kind, sources } = options;
  const groupKind = groupKindOf(kind.definition);
  const told = new Map<string, Told>();
  const spans = new KnownSpans({ clock: options.clock, onChange: options.onAuthors });
  const forget = (key: string): void => {
    told.delete(key);
    spans.forget(key);
    sources.forget(sourceKeyOf(key, groupKind));
  };
  return {
    forget,
    read: async (resource) => {
      const key = keyOf(resource);
      const wanted = wantedBy(resource, kind);
      if (wanted === undefined || wanted instanceof SourceError) {
        forget(key);
        return { state: wanted && failed(wanted.failure) };
      }
      const rules = options.platform.select(resource);
      // The watch of namespaces requeues the resource.
      if (rules.state === "pending") return { state: { state: "pending" } };
      const refusal =
        rules.state === "known" ? refusalOf(wanted.source, rules.limits, options) : rules.message;
      if (refusal !== undefined) {
        forget(key);
        return { state: { state: "failed", reason: "PolicyRefused", message: refusal } };
      }
      const limits = rules.state === "known" ? rules.limits : [];
      const request = { ...wanted, limits, key: sourceKeyOf(key, groupKind) };
      const { state, ...more } = await resolve(resource, request, options);
      const given = tell(key, state, told);
      return { state: withSpans(given, spans.known(key)), ...more };
    },
    authorsOf: (key, sourced, asked) => {
      const { latest } = told.get(key) ?? {};
      if (latest?.state !== "ready" || sourced.state === undefined) return sourced;
      const { revision, handledRequest = "" } = latest;
      const mark = `${revision.changed.id} ${handledRequest}`;
      const found = spans.ask(key, asked, { revision, mark });
      const retries = [sourced.retryAfterMs, found.retryAfterMs].filter((one) => one !== undefined);
      return {
        state: withSpans(sourced.state, found.spans),
        ...(retries.length > 0 && { retryAfterMs: Math.min(...retries) }),
      };
    },
  };
}

/** The last state of a source that was passed to the kind, and the result from which it was computed. */
interface Told {
  readonly answer: SourceState;
  readonly state: KindSource;
  /** The newest result. It may have another head, and come from another clone. */
  latest: SourceState;
}

/** Adds the known authors to the state of a source. */
function withSpans(state: KindSource, spans: readonly SpanAuthors[]): KindSource {
  if (state.state !== "ready" || (spans.length === 0 && state.spans === undefined)) return state;
  const { spans: _, ...rest } = state;
  return spans.length === 0 ? rest : { ...rest, spans };
}

/** Returns the state for the kind. It does not change if only the head has changed: that does not requeue the resource. */
function tell(key: string, answer: SourceState, told: Map<string, Told>): KindSource {
  const last = told.get(key);
  if (last !== undefined && isSameAnswer(last.answer, answer)) {
    last.latest = answer;
    return last.state;
  }
  const state = toldOf(answer);
  told.set(key, { answer, state, latest: answer });
  return state;
}

interface Wanted {
  readonly source: SourceSpec;
  readonly intervalMs: number;
}

/** The source that the kind declares for a resource, or why it cannot be used. */
function wantedBy(
  resource: CustomResource,
  kind: KindSourcesOptions["kind"],
): Wanted | SourceError | undefined {
  let wish: GitSource | undefined;
  try {
    wish = gitSourceOf(kind, resource);
  } catch (error) {
    if (!(error instanceof SynthesisError)) throw error;
    return new SourceError("SourceInvalid", error.message, { cause: error });
  }
  if (wish === undefined) return undefined;
  const { intervalMs = defaultIntervalMs, ...source } = wish;
  const { data, error } = releaseSource.safeParse(source);
  if (data !== undefined) return { source: data, intervalMs: Math.max(shortestIntervalMs, intervalMs) };
  const [issue] = error.issues;
  return new SourceError(
    "SourceInvalid",
    `Cannot use the source: ${issue?.path.join(".")}: ${issue?.message}`,
  );
}

function refusalOf(
  source: SourceSpec,
  limits: Limits,
  { kind, platform: { allowsLocal } }: KindSourcesOptions,
): string | undefined {
  return findSourceRefusal(source, { limits, allowsLocal, field: "source", of: kind.definition.kind });
}

async function resolve(
  resource: CustomResource,
  { source, intervalMs, limits, key }: Wanted & { readonly limits: Limits; readonly key: string },
  { kind, sources, secrets }: KindSourcesOptions,
): Promise<{ readonly state: SourceState; readonly retryAfterMs?: number }> {
  const { namespace = "", annotations } = resource.metadata;
  const retryAfterMs = Math.min(intervalMs, longestRetryMs);
  try {
    const options = { as: accountOf(resource, kind), maxAgeMs: intervalMs };
    const read = async (ref: { readonly name: string } | undefined) =>
      ref && (await secrets.read({ namespace, name: ref.name }, options));
    const state = sources.resolve({
      key,
      source,
      revision: undefined,
      intervalMs,
      credentials: await read(source.secretRef),
      signers: allowedSigners(limits) ?? (await read(source.verify?.secretRef)),
      requestedAt: annotations?.[releaseAnnotations.requestedAt],
      repositoryBytes: smallestOf(limits, ({ quotas }) => quotas?.repositoryBytes)?.value,
    });
    const isRefused = forgetRefused(state, { namespace, secretRef: source.secretRef }, secrets);
    return isRefused ? { state, retryAfterMs } : { state };
  } catch (error) {
    if (error instanceof ImpersonationError)
      return { state: { state: "failed", failure: { reason: "SourceInvalid", message: error.message } } };
    if (!(error instanceof SourceError)) throw error;
    // Secrets are not watched, so poll for a missing one.
    return { state: { state: "failed", failure: error.failure }, retryAfterMs };
  }
}

/** The account whose permissions are used to read Secrets. Undefined: the operator's. */
function accountOf(
  resource: CustomResource,
  { source, policy }: KindSourcesOptions["kind"],
): Impersonation | undefined {
  const { namespace = "" } = resource.metadata;
  try {
    const serviceAccountName = source?.actAs?.(resource) ?? policy.actAs?.(resource);
    return serviceAccountName === undefined ? undefined : { namespace, serviceAccountName };
  } catch (error) {
    throw new SourceError("SourceInvalid", error instanceof Error ? error.message : String(error), {
      cause: error,
    });
  }
}

/** Converts the state of a source for a kind. */
function toldOf(state: SourceState): KindSource {
  if (state.state === "pending") return state;
  const { handledRequest } = state;
  const handled = handledRequest === undefined ? {} : { handledRequest };
  if (state.state === "failed") return { ...failed(state.failure), ...handled };
  const { head, changed, tree, isAssumed = false } = state.revision;
  return {
    state: "ready",
    ...{ head, changed, isAssumed, tree, ...handled },
    ...(state.stale && { stale: state.stale as SourceProblem }),
  };
}

/** Converts a failure. The source zone has the same reasons as a kind's source. */
function failed({
  reason,
  message,
}: SourceError["failure"]): Extract<KindSource, { readonly state: "failed" }> {
  return { state: "failed", reason: reason as SourceProblem["reason"], message };
}
