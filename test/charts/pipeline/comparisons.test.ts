import { describe, expect, test } from "vitest";
import { differsIn, pairsOf } from "../../../charts/pipeline/comparisons.ts";
import { readStages } from "../../../charts/pipeline/shape.ts";
import { Pipeline } from "../../../crds/pipeline.ts";

/** The pairs of the last stage, and their problems. */
function pairs(...given: readonly object[]): readonly string[] {
  const source = { url: "https://git.test/shop.git" };
  const namespace = "shop";
  const stages = readStages(Pipeline.spec.parse({ source, stages: given }), { namespace });
  const last = stages.at(-1);
  if (last === undefined) return [];
  const found = pairsOf(last, { stages, namespace });
  return [...found.pairs.map(({ key, other }) => `${key} ${other}`), ...found.problems];
}

const staging = (...releases: object[]) => ({ name: "staging", releases });
const prod = (...releases: object[]) => ({ name: "prod", releases, differences: [] });

describe("a Release of a stage with differences", () => {
  test.for<{ readonly does: string; readonly given: readonly object[]; readonly found: readonly string[] }>([
    {
      does: "the only Release of the earlier stage",
      given: [staging({ name: "a" }), prod({ name: "eu" }, { name: "us", namespace: "us" })],
      found: ["shop/eu shop/a", "us/us shop/a"],
    },
    {
      does: "the Releases of the same name, in every namespace",
      given: [
        staging({ name: "web" }, { name: "db" }, { name: "web", namespace: "second" }),
        prod({ name: "web", namespace: "prod" }),
      ],
      found: ["prod/web second/web", "prod/web shop/web"],
    },
    {
      does: "the Releases of its counterpart, also if there is one of the same name",
      given: [
        staging({ name: "web" }, { name: "old" }),
        prod({ name: "web", namespace: "p", counterpart: "old" }),
      ],
      found: ["p/web shop/old"],
    },
    {
      does: "no Release if none has the name of its counterpart",
      given: [staging({ name: "web" }), prod({ name: "api", counterpart: "other" })],
      found: ['Release "shop/api" has no counterpart in stage "staging" to be compared with'],
    },
    {
      does: "no Release if there are several with other names",
      given: [staging({ name: "a" }, { name: "b" }), prod({ name: "web" })],
      found: ['Release "shop/web" has no counterpart in stage "staging" to be compared with'],
    },
    {
      does: "one Release of each earlier stage",
      given: [
        { ...staging({ name: "a" }), after: [] },
        { name: "load", after: [], releases: [{ name: "b" }] },
        { ...prod({ name: "c" }), after: ["staging", "load"] },
      ],
      found: ["shop/c shop/a", "shop/c shop/b"],
    },
    { does: "no Release in the first stage", given: [prod({ name: "web" })], found: [] },
    {
      does: "no Release without `differences`",
      given: [staging({ name: "a" }), { name: "prod", releases: [{ name: "web" }] }],
      found: [],
    },
  ])("is compared with $does", ({ given, found }) => {
    expect(pairs(...given)).toEqual(found);
  });
});

test("a text names the first five differences, and counts the others", () => {
  const pair = { key: "p/web", other: "s/web", before: "staging" };
  expect(differsIn(pair, ["a", "b", "c", "d", "e", "f", "g"])).toBe(
    'Release "p/web" differs from Release "s/web" of stage "staging" in a; b; c; d; e; and 2 more',
  );
});
