import type { KindDefinition } from "../crds/kind.ts";
import { labelValue, MANAGED_BY, standardLabels } from "../crds/names.ts";
import type { ObjectMeta } from "../crds/object.ts";

export type Labels = Readonly<Record<string, string>>;

/** The labels of every child, pod template and job template of a resource, in addition to the kind's own. */
export function childLabels(
  { singular }: Pick<KindDefinition, "singular">,
  { metadata }: { readonly metadata: Pick<ObjectMeta, "name"> },
): { [name: string]: string } {
  return {
    [standardLabels.name]: singular,
    [standardLabels.instance]: labelValue(metadata.name),
    [standardLabels.managedBy]: MANAGED_BY,
  };
}

/**
 * Whether this operator created a pod template. Two of the three labels are enough, so that a manually edited one is
 * restored.
 */
export function hasChildLabels(found: Labels, ours: Labels): boolean {
  const names = [standardLabels.name, standardLabels.instance, standardLabels.managedBy];
  return names.filter((name) => found[name] === ours[name]).length >= 2;
}
