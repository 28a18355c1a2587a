import { groupKindOf, groupOf, type LiveObject, type ObjectKind } from "../../crds/object.ts";
import type { Observed } from "../../crds/observed.ts";

/** Observed objects, from plain ones; `asked` counts the calls. */
export function observe(...objects: readonly LiveObject[]): Observed & { readonly asked: string[] } {
  const asked: string[] = [];
  const ofKind = (kind: ObjectKind) =>
    objects.filter((object) => object.kind === kind.kind && groupOf(object.apiVersion) === kind.group);
  return {
    asked,
    list(kind) {
      asked.push(`list ${groupKindOf(kind)}`);
      return ofKind(kind).toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    },
    find(kind, name) {
      asked.push(`find ${groupKindOf(kind)} ${name}`);
      return ofKind(kind).find(({ metadata }) => metadata.name === name);
    },
  };
}
