import type { BoundKind } from "../crds/binding.ts";
import { findKindNamed, namesOfKinds } from "../crds/kind-names.ts";
import { groupKindOf } from "../crds/object.ts";
import { type ChosenValues, operatorValues } from "./values/operator-values.ts";
import { OperatorValuesError } from "./values/values-error.ts";

/** The kinds of a program in an installation. */
export interface ChosenKinds<Kind> {
  readonly kinds: readonly Kind[];
  /**
   * Value of the program's `--kinds`, which does not contain kinds that need Releases. Undefined: all kinds of the
   * program.
   */
  readonly option: string | undefined;
}

/**
 * Chooses the kinds that the values `samples`, `kinds` and `releases` select from the shipped ones. Pure.
 *
 * @throws {OperatorValuesError} for an unknown kind, or if there would be nothing to reconcile.
 */
export function chooseKinds<Kind extends Pick<BoundKind, "definition" | "needsReleases">>(
  shipped: readonly Kind[],
  values: Pick<ChosenValues, "samples" | "kinds" | "releases">,
): ChosenKinds<Kind> {
  const { samples, kinds: names, releases } = values;
  const complain = (path: readonly PropertyKey[], message: string): never => {
    throw new OperatorValuesError([{ code: "custom", path: [...path], message }], values, operatorValues);
  };
  const optional = shipped.filter(({ needsReleases }) => !needsReleases);
  for (const [index, name] of names.entries()) {
    if (findKindNamed(optional, name) === undefined)
      complain(["kinds", index], `expected one of the kinds that ship (${namesOfKinds(optional)})`);
  }
  const named = new Set(names.map((name) => findKindNamed(optional, name)));
  const kinds = samples.enabled ? optional : optional.filter((kind) => named.has(kind));
  if (kinds.length === 0 && !releases.enabled)
    complain(
      ["releases", "enabled"],
      "expected true, or samples.enabled or kinds: else nothing is reconciled",
    );
  const hasPipelines = releases.enabled && releases.pipelines;
  const others = hasPipelines ? shipped.filter(({ needsReleases }) => needsReleases) : [];
  const all = [...kinds, ...others];
  if (kinds.length === optional.length) return { kinds: all, option: undefined };
  const option = kinds.map(({ definition }) => groupKindOf(definition)).join();
  return { kinds: all, option: option === "" ? "none" : option };
}
