import type { BoundKind } from "../crds/binding.ts";
import type { GitSource, KindSource } from "../crds/kind-source.ts";
import { type CustomResource, keyOf } from "../crds/object.ts";
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
    const why = error instanceof Error ? error.message : String(error);
    throw new SynthesisError(`${definition.kind} ${keyOf(resource)}`, why, { cause: error });
  }
}

/** Whether record and chart of a kind wait for a source in this state. Pure. */
export function awaitsSource({ source }: Pick<BoundKind, "source">, state: KindSource | undefined): boolean {
  return source?.required === true && state !== undefined && state.state !== "ready";
}
