import { releaseAnnotations } from "../../../crds/release.ts";
import type { PruneInput } from "../../engine/decide-prune.ts";
import type { LoadedRelease } from "./load-release.ts";
import type { Desired } from "./release-memory.ts";

/** Composes the input of the prune decision for a Release. Pure. */
export function pruneInputOf(
  { resource, set }: Pick<LoadedRelease, "resource" | "set">,
  { prepared, head, commit }: Pick<Desired, "prepared" | "head" | "commit">,
  observed: Pick<PruneInput, "owned" | "observed">,
): PruneInput {
  return {
    ...observed,
    resource,
    set,
    desired: prepared,
    isOn: resource.spec.prune,
    deployed: resource.status?.inventory?.deployed,
    approved: resource.metadata.annotations?.[releaseAnnotations.approvePrune],
    approvals: [head.id, commit.id],
    waves: resource.status?.inventory?.waves,
  };
}
