import { describe, expect, test } from "vitest";
import { isSameJson } from "../../synth/same-json.ts";

describe("isSameJson()", () => {
  test.for([
    [1, 1, true],
    [1, "1", false],
    [null, {}, false],
    [[], {}, false],
    [{ a: 1, b: [1, { c: 2 }] }, { b: [1, { c: 2 }], a: 1 }, true],
    [{ a: 1 }, { a: 1, b: 1 }, false],
    [{ a: undefined }, { b: undefined }, false],
    [[1, 2], [2, 1], false],
  ] as const)("%j and %j: %s", ([a, b, isSame]) => {
    expect(isSameJson(a, b)).toBe(isSame);
  });
});
