import type { BoundKind } from "../../../crds/binding.ts";
import { controllerOf, type LiveObject } from "../../../crds/object.ts";
import type { OwnedObject } from "../../engine/desired-set.ts";
import { isOutcomeFinal, isProtectedRun } from "../../engine/run-finalizer.ts";
import type { Loaded } from "./load.ts";

/** Whether runs of a kind are protected until its record contains their outcome. Pure. */
export function protectsRuns({ record, childRules }: Pick<BoundKind, "record" | "childRules">): boolean {
  return record !== undefined && childRules.some(({ lifetime }) => lifetime === "run");
}

/** The objects of a resource whose deletion our finalizer blocks. Pure. */
export function protectedIn({ owned }: Pick<Loaded, "owned">): readonly OwnedObject[] {
  return owned.filter(({ live }) => live.ours && isProtectedRun(live));
}

/**
 * Protected runs that need no protection after the record of `seen` is written: the record contains their outcome, or they
 * belong to an earlier resource of this name. Pure.
 *
 * @param seen The resource and its objects, as used by the fold.
 */
export function finalRunsOf(
  seen: Pick<Loaded, "owned" | "resource">,
  { isFolded }: { readonly isFolded: boolean },
): readonly OwnedObject[] {
  const { uid } = seen.resource.metadata;
  const isEarlier = (live: LiveObject): boolean => (controllerOf(live)?.uid ?? uid) !== uid;
  return protectedIn(seen).filter(({ live }) => isEarlier(live) || (isFolded && isOutcomeFinal(live)));
}

/** Whether a run has ended since this reconcile folded the record. Pure. */
export function hasNewEnd(now: Loaded, before: Loaded): boolean {
  if (before.folded === undefined) return false;
  const known = new Set(before.finalRuns?.map(({ live }) => live.metadata.uid));
  return finalRunsOf(now, { isFolded: true }).some(({ live }) => !known.has(live.metadata.uid));
}
