import type { DeclaredKind } from "../../../crds/binding.ts";
import type { CustomResource, LiveObject } from "../../../crds/object.ts";
import { type Addition, idOf } from "../../../synth/manifest.ts";
import { additionManagerOf } from "../../../synth/stamp.ts";
import { ADDED_INDEX } from "../../engine/added-index.ts";
import type { ObjectStore, Stores } from "../../ports.ts";

export interface RemovalsOptions {
  readonly kind: Pick<DeclaredKind, "definition" | "related">;
  readonly stores: {
    related(...of: Parameters<Stores["related"]>): Pick<ObjectStore, "byIndex">;
  };
}

/**
 * Finds the fields that a resource has set in objects that are no longer in its additions. Returns additions without fields.
 * The objects themselves contain the owners of their fields, so this also works after a restart. None for a kind that sets
 * no fields.
 *
 * @param additions The resource's current additions.
 */
export function removalsOf(
  resource: CustomResource,
  additions: readonly Addition[],
  options: RemovalsOptions,
): readonly Addition[] {
  const { kind, stores } = options;
  const setting = kind.related.filter(({ fields }) => fields !== undefined);
  if (setting.length === 0) return [];
  const fieldManager = additionManagerOf(kind.definition, resource);
  const named = new Set(additions.map(({ manifest }) => idOf(manifest)));
  return setting.flatMap(({ kind: of, selector }) =>
    stores
      .related(of, selector)
      .byIndex(ADDED_INDEX, fieldManager)
      .filter((live) => !named.has(idOf(live)))
      .map((live) => ({ manifest: identityOf(live), kind: of, selector, fields: [], fieldManager })),
  );
}

function identityOf({ apiVersion, kind, metadata: { name, namespace } }: LiveObject): Addition["manifest"] {
  return { apiVersion, kind, metadata: { name, ...(namespace !== undefined && { namespace }) } };
}
