import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { statusPatch } from "../../../operator/engine/status-patch.ts";

type Json = Record<string, unknown>;

/** RFC 7386, as the API server merges a patch. */
function merge(target: unknown, patch: unknown): unknown {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const result: Json =
    typeof target === "object" && target !== null && !Array.isArray(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = merge(result[name], value);
  }
  return result;
}

const status = (): fc.Arbitrary<Json> =>
  fc.letrec<{ value: unknown; map: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.integer(),
      fc.string(),
      fc.boolean(),
      fc.array(fc.integer()),
      tie("map"),
    ),
    map: fc.dictionary(fc.constantFrom("a", "b", "c"), tie("value"), { noNullPrototype: true }),
  })).map;

describe("statusPatch()", () => {
  test.for([
    {
      does: "is empty for equal statuses",
      previous: { a: 1, b: [1] },
      next: { b: [1], a: 1 },
      patch: undefined,
    },
    {
      does: "is the whole status for a first status",
      previous: undefined,
      next: { a: 1, nodes: [] },
      patch: { a: 1, nodes: [] },
    },
    {
      does: "also contains unchanged fields",
      previous: { a: 1, nodes: [] },
      next: { a: 2, nodes: [] },
      patch: { a: 2, nodes: [] },
    },
    {
      does: "removes deleted fields, also inside maps",
      previous: { a: 1, m: { x: 1, y: 1 } },
      next: { m: { x: 1 } },
      patch: { a: null, m: { x: 1, y: null } },
    },
    {
      does: "treats undefined as absent",
      previous: { a: 1 },
      next: { a: 1, b: undefined },
      patch: undefined,
    },
  ])("$does", ({ previous, next, patch }) => {
    expect(statusPatch(previous, next)).toEqual(patch);
  });

  test("converts any previous status to the next one, and is empty the second time", () => {
    fc.assert(
      fc.property(status(), status(), (previous, next) => {
        const patch = statusPatch(previous, next);
        expect(merge(previous, patch ?? {})).toEqual(next);
        expect(statusPatch(next, next)).toBeUndefined();
      }),
    );
  });
});
