import type { ObjectKind } from "../../crds/object.ts";
import type { InstallClient, StoredObject } from "./install-client.ts";
import { titleOf } from "./installable-kinds.ts";
import { type WaitUntilOptions, waitUntil } from "./wait-until.ts";

/** Remaining resources of one kind. */
export interface RemainingResources {
  readonly kind: ObjectKind;
  readonly resources: readonly StoredObject[];
}

/** Maximum number of concurrent requests; the number of connections of the transport. */
const AT_ONCE = 32;

/**
 * Deletes resources and waits until they are deleted.
 *
 * @throws NotInTimeError that names what blocks them.
 */
export async function removeResources(
  remaining: readonly RemainingResources[],
  { client, ...waiting }: { readonly client: InstallClient } & WaitUntilOptions,
): Promise<void> {
  for (const { kind, resources } of remaining) {
    waiting.report(`Removing: ${countOf({ kind, resources })}`);
    for (let start = 0; start < resources.length; start += AT_ONCE) {
      const some = resources.slice(start, start + AT_ONCE);
      await Promise.all(some.map((resource) => client.delete(resource, kind, "Background")));
    }
  }
  await waitUntil(async () => {
    for (const { kind } of remaining) {
      const [one] = await client.list(kind);
      if (one !== undefined) return `Waiting for ${titleOf(one)} to be deleted${heldBy(one)}`;
    }
    return undefined;
  }, waiting);
}

/** `3 echoes`. */
export function countOf({ kind, resources }: RemainingResources): string {
  return resources.length === 1 && resources[0] !== undefined
    ? titleOf(resources[0])
    : `${resources.length} ${kind.plural}`;
}

function heldBy({ metadata: { finalizers = [] } }: StoredObject): string {
  if (finalizers.length === 0) return "";
  return `: held by ${finalizers.join(", ")}, which only a running operator removes`;
}
