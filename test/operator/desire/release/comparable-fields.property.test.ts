import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { StageDifference } from "../../../../crds/stage-differences.ts";
import { comparableFields } from "../../../../operator/desire/release/comparable-fields.ts";
import { comparableDigestOf } from "../../../../operator/desire/release/compare-manifests.ts";
import type { Manifest } from "../../../../synth/manifest.ts";
import { aDesiredSet } from "../../../fakes/plans.ts";
import { aSourceManifest } from "../../../fakes/releases.ts";
import { limitRuns } from "../../../long.ts";

type Json = string | number | readonly Json[] | { readonly [key: string]: Json };
type Path = readonly (string | number)[];

const key = fc.constantFrom("a", "b", "spec", "x.y", "z/[0]", "name");
const { node } = fc.letrec<{ node: Json }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    fc.constantFrom("", "text", 0, 7),
    fc.dictionary(key, tie("node"), { minKeys: 1, maxKeys: 3 }),
    fc.array(tie("node"), { minLength: 1, maxLength: 3 }),
  ),
}));

/** The paths of all scalars. */
function leaves(value: Json, path: Path = []): readonly Path[] {
  if (typeof value !== "object") return [path];
  return Object.entries(value).flatMap(([name, child]) =>
    leaves(child as Json, [...path, Array.isArray(value) ? Number(name) : name]),
  );
}

function changed(value: Json, [first, ...rest]: Path): Json {
  if (first === undefined) return `not ${String(value)}`;
  if (Array.isArray(value))
    return value.map((item: Json, index) => (index === first ? changed(item, rest) : item));
  const fields = value as { readonly [key: string]: Json };
  return { ...fields, [first]: changed(fields[String(first)] ?? "", rest) };
}

/** As users write it. */
function written(path: Path): string {
  return path
    .map((part) =>
      typeof part === "number" || part === "*"
        ? `[${part}]`
        : /^\w+$/.test(part)
          ? `.${part}`
          : `["${part}"]`,
    )
    .join("")
    .replace(/^\./, "");
}

const covers = (declared: Path, path: Path): boolean =>
  declared.length <= path.length && declared.every((part, index) => part === "*" || part === path[index]);

const digestOf = (manifest: Manifest, differences: readonly StageDifference[]): string =>
  comparableDigestOf(comparableFields(aDesiredSet([manifest]), { home: "shop", differences }));

test("the comparable digest ignores exactly the declared paths", () => {
  fc.assert(
    fc.property(
      fc.dictionary(key, node, { minKeys: 1, maxKeys: 4 }),
      fc.array(fc.record({ leaf: fc.nat(), length: fc.nat(4), star: fc.nat(8) }), { maxLength: 4 }),
      fc.nat(),
      (spec, choices, which) => {
        const all = leaves({ spec });
        const at = (index: number): Path => all[index % all.length] ?? [];
        const declared = choices.map(
          ({ leaf, length, star }): Path =>
            at(leaf)
              .slice(0, length + 2)
              .map((part, index) => (index > 0 && index === star ? "*" : part)),
        );
        const path = at(which);
        const before = aSourceManifest("v1", "Thing", "web", { fields: { spec } });
        const after = { ...before, ...(changed({ spec }, path) as object) };
        const differences = declared.map((one) => ({ fields: [written(one)] }));
        const isEqual = digestOf(before, differences) === digestOf(after, differences);
        expect(isEqual).toBe(declared.some((one) => covers(one, path)));
      },
    ),
    { numRuns: limitRuns(500) },
  );
});
