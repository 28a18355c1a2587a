import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toCanonicalJson } from "../../synth/digest.ts";
import { isSameJson } from "../../synth/same-json.ts";

describe("isSameJson()", () => {
  test.for([
    [1, 1, true],
    [1, "1", false],
    [null, {}, false],
    [[], {}, false],
    [{ a: 1, b: [1, { c: 2 }] }, { b: [1, { c: 2 }], a: 1 }, true],
    [{ a: 1 }, { a: 1, b: 1 }, false],
    [{ a: undefined }, { b: undefined }, true],
    [{ a: 1, b: undefined }, { a: 1 }, true],
    [{ a: 1 }, { a: undefined }, false],
    [{ a: undefined, b: 1 }, { a: 1, b: undefined }, false],
    [["toString"], { 0: "toString" }, false],
    [{ toString: 1 }, {}, false],
    [{}, { toString: 1 }, false],
    [[1, 2], [2, 1], false],
  ] as const)("%j and %j: %s", ([a, b, isSame]) => {
    expect(isSameJson(a, b)).toBe(isSame);
  });

  test("agrees with the canonical text for values of any shape", () => {
    const pairs = fc.tuple(fc.jsonValue({ maxDepth: 4 }), fc.jsonValue({ maxDepth: 4 }), fc.boolean());
    fc.assert(
      fc.property(pairs, ([a, other, isCopied]) => {
        const b = isCopied ? JSON.parse(toCanonicalJson(a)) : other;
        expect(isSameJson(a, b)).toBe(toCanonicalJson(a) === toCanonicalJson(b));
      }),
    );
  });

  test("compares values of more levels than the stack holds", () => {
    expect(isSameJson(nested(10_000, 1), nested(10_000, 1))).toBe(true);
    expect(isSameJson(nested(10_000, 1), nested(10_000, 2))).toBe(false);
  });
});

function nested(levels: number, inside: number): unknown {
  let value: unknown = inside;
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { value };
  return value;
}
