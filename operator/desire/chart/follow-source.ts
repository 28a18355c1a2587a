import type { BoundKind } from "../../../crds/binding.ts";
import type { KindClock } from "../../../crds/kind-context.ts";
import type { CommitSpan, KindSource } from "../../../crds/kind-source.ts";
import { type CustomResource, keyOf } from "../../../crds/object.ts";
import type { EngineStatus } from "../../../crds/status.ts";
import { recordIn } from "../../../synth/record.ts";
import { commitSpansOf, gitSourceOf } from "../../../synth/source.ts";
import { SynthesisError } from "../../../synth/synthesis-error.ts";
import type { ApplyOutcome } from "../../engine/outcome.ts";
import { SOURCE_PENDING } from "../../engine/source-standing.ts";
import { SpecInvalidError } from "../../errors.ts";
import type { Loaded } from "./load.ts";

/** The state of a resource's source. */
export interface Sourced {
  /** Undefined: the resource has no source. */
  readonly state: KindSource | undefined;
  /** There will be no event: check again after this many milliseconds. */
  readonly retryAfterMs?: number;
}

/** The sources of the resources of one kind. A change of a source's state requeues the key. */
export interface KindSources {
  /**
   * The state of the source of a resource, from memory.
   *
   * @throws ApiUnavailableError if a Secret of the source cannot be read now.
   */
  read(resource: CustomResource): Promise<Sourced>;
  /** Adds the authors of spans to the state of a ready source, from memory. */
  authorsOf(key: string, sourced: Sourced, spans: readonly CommitSpan[]): Sourced;
  /** Stops polling for a deleted resource. */
  forget(key: string): void;
}

type FollowingKind = Pick<BoundKind, "definition" | "record" | "source">;

export interface FollowSourceOptions {
  readonly kind: Pick<BoundKind, "source">;
  /** Undefined: this operator does not follow sources. */
  readonly sources?: KindSources | undefined;
}

/** Adds the state of the source to a resource. A resource of a kind without a source is not changed. */
export async function followSource(loaded: Loaded, { kind, sources }: FollowSourceOptions): Promise<Loaded> {
  if (kind.source === undefined) return loaded;
  return { ...loaded, sourced: (await sources?.read(loaded.resource)) ?? withoutSources(loaded, kind) };
}

/**
 * Adds the authors of the spans that a resource requests. The spans are computed from the record of this run. A resource of
 * a kind that requests none is not changed.
 */
export function followSpans(
  loaded: Loaded,
  { kind, sources, clock }: FollowSourceOptions & { readonly kind: FollowingKind; readonly clock: KindClock },
): Loaded {
  const { resource, observed, sourced, refusal } = loaded;
  if (kind.source?.spans === undefined || sources === undefined) return loaded;
  if (refusal !== undefined || sourced?.state?.state !== "ready") return loaded;
  try {
    const record = recordIn(kind, resource);
    const spans = commitSpansOf(kind, { resource, observed, record, clock });
    return { ...loaded, sourced: sources.authorsOf(keyOf(resource), sourced, spans) };
  } catch (error) {
    if (!(error instanceof SynthesisError)) throw error;
    return { ...loaded, refusal: new SpecInvalidError(error.message, { cause: error }) };
  }
}

/** The state of a source if the operator does not follow sources. */
function withoutSources({ resource }: Loaded, kind: FollowSourceOptions["kind"]): Sourced {
  if (kind.source?.of(resource) === undefined) return { state: undefined };
  const message = "This operator follows no git sources: it runs without --releases";
  return { state: { state: "failed", reason: "SourceInvalid", message } };
}

/** Describes the outcome of a run that waits for the source. No object is created, changed or deleted. Pure. */
export function describeAwaited({ resource, sourced }: Pick<Loaded, "resource" | "sourced">): ApplyOutcome {
  const state = sourced?.state;
  if (state?.state === "failed")
    return { state: "waiting", reason: state.reason, message: state.message, isWatched: true };
  const { observedGeneration } = (resource.status ?? {}) as EngineStatus;
  return {
    state: "waiting",
    reason: "SourcePending",
    message: SOURCE_PENDING,
    isWatched: true,
    // After a start of the operator, the source is known soon.
    isQuiet: observedGeneration === resource.metadata.generation,
  };
}

/** The URL of the source of a resource; undefined: it has none, or the kind's function fails. Pure. */
export function remoteOf(resource: CustomResource, kind: FollowingKind): string | undefined {
  try {
    return gitSourceOf(kind, resource)?.url;
  } catch (error) {
    // The state of the source reports it.
    if (error instanceof SynthesisError) return undefined;
    throw error;
  }
}

/** Stops following the source of a resource that was deleted or is being deleted. */
export function leaveSource({ resource }: Pick<Loaded, "resource">, { sources }: FollowSourceOptions): void {
  sources?.forget(keyOf(resource));
}
