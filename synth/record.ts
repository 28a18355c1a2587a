import type { BoundKind } from "../crds/binding.ts";
import type { KindClock, KindContext, Recorded } from "../crds/kind-context.ts";
import type { SourceContext } from "../crds/kind-source.ts";
import { type CustomResource, keyOf } from "../crds/object.ts";
import type { Observed } from "../crds/observed.ts";
import { isSameJson } from "./same-json.ts";
import { awaitsSource, gitSourceOf } from "./source.ts";
import { SynthesisError } from "./synthesis-error.ts";

/** A record that does not settle within this number of folds is considered unstable. */
const mostFolds = 8;

type RecordingKind = Pick<BoundKind, "definition" | "record" | "source">;

/**
 * The additional input of a kind's functions, besides the resource and its objects; `source` only if the kind declares
 * one.
 */
export type GivenContext = KindContext & Partial<SourceContext>;

export interface FoldRecordInput extends Partial<SourceContext> {
  readonly resource: CustomResource;
  readonly observed: Observed;
  readonly clock: KindClock;
}

export interface FoldedRecord {
  readonly record: Recorded;
  /** Whether another fold returns the same record. */
  readonly isStable: boolean;
}

/** The record in the status of a resource. Empty if the kind has none. Pure. */
export function recordIn({ record }: Pick<BoundKind, "record">, { status }: CustomResource): Recorded {
  return record === undefined ? {} : pickFields(status as Recorded | undefined, record.fields);
}

/**
 * Computes the next record: folds the one in the status until it no longer changes. An unstable record is folded once.
 * Pure.
 *
 * @throws {SynthesisError} if the kind's fold fails.
 */
export function foldRecord(kind: RecordingKind, input: FoldRecordInput): FoldedRecord {
  const previous = recordIn(kind, input.resource);
  const first = foldOnce(kind, previous, input);
  let [before, record] = [previous, first];
  for (let folds = 1; folds < mostFolds; folds++) {
    if (isSameJson(before, record)) return { record: before, isStable: true };
    [before, record] = [record, foldOnce(kind, record, input)];
  }
  return { record: first, isStable: false };
}

/** The input of a kind's functions for a resource whose record is up to date. Pure. */
export function contextOf(
  kind: Pick<BoundKind, "record" | "source">,
  resource: CustomResource,
  { clock, source }: { readonly clock: KindClock } & Partial<SourceContext>,
): GivenContext {
  return { clock, record: recordIn(kind, resource), ...(kind.source && { source }) };
}

/**
 * The input of a kind's functions for a resource whose record may be outdated; undefined: the kind has no context.
 * Without a source in the input it is pending. Pure.
 *
 * @throws {SynthesisError} if a function of the kind fails.
 */
export function nextContextOf(
  kind: RecordingKind & Pick<BoundKind, "hasContext">,
  input: FoldRecordInput,
): GivenContext | undefined {
  if (!kind.hasContext) return undefined;
  const { clock, resource } = input;
  const isFollowing = input.source === undefined && gitSourceOf(kind, resource) !== undefined;
  const source = isFollowing ? ({ state: "pending" } as const) : input.source;
  const record = awaitsSource(kind, source)
    ? recordIn(kind, resource)
    : foldRecord(kind, { ...input, source }).record;
  return { clock, record, ...(kind.source && { source }) };
}

function foldOnce(
  { definition, record }: RecordingKind,
  previous: Recorded,
  input: FoldRecordInput,
): Recorded {
  if (record === undefined) return {};
  try {
    return pickFields(record.fold(previous, input), record.fields);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new SynthesisError(`${definition.kind} ${keyOf(input.resource)}`, why, { cause: error });
  }
}

function pickFields(from: Recorded | undefined, fields: readonly string[]): Recorded {
  const picked: Record<string, unknown> = {};
  for (const field of fields) if (from?.[field] !== undefined) picked[field] = from[field];
  return picked;
}
