import type { FoundStores } from "../../cluster/found-kinds/ports.ts";
import type { DesiredSet } from "../../engine/desired-set.ts";
import type { ApplyOutcome } from "../../engine/outcome.ts";

/**
 * Describes namespaces in which this operator does not watch objects, so that it cannot find its own there. Undefined: it
 * watches all of them.
 */
export function findUnseen(
  prepared: Pick<DesiredSet, "objects">,
  stores: Pick<FoundStores, "sees">,
): Extract<ApplyOutcome, { readonly state: "refused" }> | undefined {
  const unseen = prepared.objects.find(({ manifest }) => !stores.sees(manifest.metadata.namespace));
  if (unseen === undefined) return undefined;
  const { kind, metadata } = unseen.manifest;
  const message =
    `${kind} ${metadata.namespace}/${metadata.name} (${unseen.origin}) is outside of the namespaces that this operator ` +
    "watches: add that namespace with --namespace";
  return { state: "refused", reason: "KindNotWatched", message };
}
