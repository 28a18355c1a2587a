import type { BoundKind } from "../crds/binding.ts";
import type { CommitSpan, GitSource, KindSource } from "../crds/kind-source.ts";
import { type CustomResource, keyOf } from "../crds/object.ts";
import type { KindState } from "../crds/record.ts";
import { SynthesisError } from "./synthesis-error.ts";

type FollowingKind = Pick<BoundKind, "definition" | "source">;

/**
 * The git source that a resource follows; undefined: none. Pure.
 *
 * @throws {SynthesisError} if the kind's function fails.
 */
export function gitSourceOf(
  { definition, source }: FollowingKind,
  resource: CustomResource,
): GitSource | undefined {
  try {
    return source?.of(resource);
  } catch (error) {
    throw failed(definition, resource, error);
  }
}

/**
 * The parts of the history whose authors a resource asks for. Pure.
 *
 * @throws {SynthesisError} if the kind's function fails.
 */
export function commitSpansOf(
  { definition, source }: FollowingKind,
  state: KindState<CustomResource>,
): readonly CommitSpan[] {
  try {
    return source?.spans?.(state) ?? [];
  } catch (error) {
    throw failed(definition, state.resource, error);
  }
}

function failed(
  { kind }: FollowingKind["definition"],
  resource: CustomResource,
  cause: unknown,
): SynthesisError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new SynthesisError(`${kind} ${keyOf(resource)}`, why, { cause });
}

/** Whether record and chart of a kind wait for a source in this state. Pure. */
export function awaitsSource({ source }: Pick<BoundKind, "source">, state: KindSource | undefined): boolean {
  return source?.required === true && state !== undefined && state.state !== "ready";
}
