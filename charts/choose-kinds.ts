import type { BoundKind } from "../crds/binding.ts";
import { findKindNamed, namesOfKinds } from "../crds/kind-names.ts";
import { groupKindOf } from "../crds/object.ts";
import { type ChosenValues, operatorValues } from "./values/operator-values.ts";
import { OperatorValuesError } from "./values/values-error.ts";

/** The kinds of a program that an installation has. */
export interface ChosenKinds<Kind> {
  readonly kinds: readonly Kind[];
  /** Value of the program's `--kinds`. Undefined: all kinds of the program. */
  readonly option: string | undefined;
}

/**
 * Chooses the kinds that `samples` and `kinds` of the values ask for, out of those that ship. Pure.
 *
 * @throws {OperatorValuesError} that names a kind that does not ship, or that there would be nothing to reconcile.
 */
export function chooseKinds<Kind extends Pick<BoundKind, "definition">>(
  shipped: readonly Kind[],
  values: Pick<ChosenValues, "samples" | "kinds" | "releases">,
): ChosenKinds<Kind> {
  const { samples, kinds: names, releases } = values;
  const complain = (path: readonly PropertyKey[], message: string): never => {
    throw new OperatorValuesError([{ code: "custom", path: [...path], message }], values, operatorValues);
  };
  for (const [index, name] of names.entries()) {
    if (findKindNamed(shipped, name) === undefined)
      complain(["kinds", index], `expected one of the kinds that ship (${namesOfKinds(shipped)})`);
  }
  const named = new Set(names.map((name) => findKindNamed(shipped, name)));
  const kinds = samples.enabled ? shipped : shipped.filter((kind) => named.has(kind));
  if (kinds.length === 0 && !releases.enabled)
    complain(
      ["releases", "enabled"],
      "expected true, or samples.enabled or kinds: else nothing is reconciled",
    );
  if (kinds.length === shipped.length) return { kinds, option: undefined };
  const option = kinds.map(({ definition }) => groupKindOf(definition)).join();
  return { kinds, option: option === "" ? "none" : option };
}
