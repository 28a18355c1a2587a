import type { BoundKind } from "../crds/binding.ts";
import { groupKindOf, type ObjectKind } from "../crds/object.ts";
import { celText, celTexts } from "./admission-policy.ts";

/** As in synth/manifest.ts and synth/stamp.ts; this folder does not import synth. */
const managerOf = (kind: ObjectKind): string => `fairlead/${groupKindOf(kind)}/`;
/** The field manager of resources with a long name, which does not contain their kind. */
const managerOfLongName = "fairlead/applyset-";

/** The kinds of objects in which some kind sets fields without owning them. */
export function setKindsOf(kinds: readonly BoundKind[]): readonly ObjectKind[] {
  return kinds.flatMap(({ related }) =>
    related.filter(({ fields }) => fields !== undefined).map(({ kind }) => kind),
  );
}

/**
 * CEL for each kind of objects in which a kind sets fields: whether a request changes only these fields, with the field
 * manager of a resource of that kind.
 *
 * @param requestKind CEL of the request's `group/Kind`.
 */
export function fieldCasesOf(kinds: readonly BoundKind[], requestKind: string): readonly string[] {
  return kinds.flatMap(({ definition, related }) =>
    related.flatMap(({ kind, fields }): readonly string[] => {
      if (fields === undefined) return [];
      const managers = [managerOf(definition), managerOfLongName].map(
        (prefix) => `request.?options.?fieldManager.orValue('').startsWith(${celText(prefix)})`,
      );
      return [
        [
          `${requestKind} == ${celText(`${kind.group}/${kind.kind}`)}`,
          `(${managers.join(" || ")})`,
          ...metadata.map((field) => `object.metadata.?${field} == oldObject.metadata.?${field}`),
          ...sameBut(treeOf(fields), { now: "object", old: "oldObject" }),
        ].join(" && "),
      ];
    }),
  );
}

/** The metadata fields that the author of an object sets. The API server changes the others with each write. */
const metadata = ["labels", "annotations", "ownerReferences", "finalizers"];

/** Fields by name, with their subfields; empty: the whole field may change. */
interface Tree extends ReadonlyMap<string, Tree> {}

function treeOf(paths: readonly string[]): Tree {
  const byName = Map.groupBy(paths, (path) => path.split(".", 1)[0] ?? "");
  const inside = (name: string, under: readonly string[]): Tree =>
    treeOf(under.filter((path) => path !== name).map((path) => path.slice(name.length + 1)));
  return new Map([...byName].map(([name, under]) => [name, inside(name, under)]));
}

/** CEL: whether two structs have the same fields with the same values, except those in the tree. */
function sameBut(
  tree: Tree,
  { now, old }: { readonly now: string; readonly old: string },
): readonly string[] {
  const isTop = now === "object";
  const names = celTexts([...(isTop ? ["metadata"] : []), ...tree.keys()]);
  return [
    `${now}.all(k, k in ${names} || (k in ${old} && ${now}[k] == ${old}[k]))`,
    `${old}.all(k, k in ${names} || k in ${now})`,
    ...[...tree]
      .filter(([, inside]) => inside.size > 0)
      .flatMap(([name, inside]) => {
        const field = (of: string) => `${of}[?${celText(name)}].orValue({})`;
        return sameBut(inside, { now: field(now), old: field(old) });
      }),
  ];
}
