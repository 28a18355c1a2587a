import { groupKindOf, type ObjectKind } from "./object.ts";

/** An object with the definition of a kind, such as a bound kind. */
interface Defined {
  readonly definition: Pick<ObjectKind, "group" | "kind" | "plural">;
}

/**
 * Finds a kind by name: its kind, such as `Echo`, in any case, or its plural and group, such as `echos.mmontes.io`.
 * Pure.
 */
export function findKindNamed<Kind extends Defined>(kinds: readonly Kind[], name: string): Kind | undefined {
  return kinds.find(
    ({ definition }) =>
      definition.kind.toLowerCase() === name.toLowerCase() || groupKindOf(definition) === name,
  );
}

/** The names of kinds, for messages. Pure. */
export function namesOfKinds(kinds: readonly Defined[]): string {
  return kinds.length === 0 ? "no kind" : kinds.map(({ definition }) => definition.kind).join(", ");
}
