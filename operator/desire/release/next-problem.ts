import type { FoundStores, KindCatalog } from "../../cluster/found-kinds/ports.ts";
import type { DesiredSet } from "../../engine/desired-set.ts";
import { describeId } from "../../engine/object-text.ts";
import { listNames } from "../../engine/outcome.ts";
import { isDefinition } from "../../engine/plan.ts";
import type { PlannedRelease } from "./next-source.ts";
import { watchRecorded } from "./recorded-kinds.ts";
import { findUnseen } from "./unseen-objects.ts";

export interface NextProblemOptions {
  readonly catalog: KindCatalog;
  readonly stores: FoundStores;
}

/** Why a commit cannot be planned. `pending`: an event requeues the key. */
export type NextProblem =
  | { readonly state: "pending" }
  | { readonly state: "failed"; readonly message: string };

/** Finds the missing input of a plan; undefined: none is missing. Starts watches for the kinds of all objects. */
export function findNextProblem(
  { key, resource }: Pick<PlannedRelease, "key" | "resource">,
  prepared: DesiredSet,
  options: NextProblemOptions,
): NextProblem | undefined {
  const { catalog, stores } = options;
  const unseen = findUnseen(prepared, stores);
  if (unseen !== undefined) return failed(unseen.message);
  const { areKnown, refusals } = watchRecorded({ key, resource }, options);
  let isPending = !areKnown && refusals.length === 0;
  for (const { id, kind, manifest, needs, origin } of prepared.objects) {
    const notApplied = `${describeId(id)} (${origin}) cannot be applied: `;
    if (kind !== undefined) {
      const { hasSynced, refusal } = stores.watch(kind, key);
      if (refusal !== undefined) return failed(notApplied + refusal);
      isPending ||= !hasSynced;
    } else if (!needs.some(isDefinition)) {
      const answer = catalog.ask(manifest.apiVersion, manifest.kind, key);
      if (answer.state === "absent" || answer.state === "unavailable")
        return failed(notApplied + answer.message);
      isPending = true;
    }
  }
  if (isPending) return { state: "pending" };
  return areKnown ? undefined : failed(`Cannot read all of its objects: ${listNames(refusals)}`);
}

function failed(message: string): NextProblem {
  return { state: "failed", message };
}
