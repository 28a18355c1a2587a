import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isSameQuantity, parseQuantity } from "../../../operator/engine/quantity.ts";

describe("isSameQuantity()", () => {
  test.for([
    ["0.5", "500m"],
    ["1Gi", "1073741824"],
    ["1.5Gi", "1536Mi"],
    [1, "1"],
    ["1000m", 1],
    ["1e3", "1k"],
    ["12E2", "1200"],
    ["5E", "5000000000000000000"],
    [".5", "0.50"],
    ["+2", "2"],
    ["-500m", "-.5"],
    ["0.0000000001", "1n"],
    ["same text, no quantity", "same text, no quantity"],
  ] as const)("considers %s equal to %s", ([a, b]) => {
    expect(isSameQuantity(a, b)).toBe(true);
    expect(isSameQuantity(b, a)).toBe(true);
  });

  test.for([
    ["500m", "501m"],
    ["1Gi", "1G"],
    ["1", "1m"],
    ["-1", "1"],
    ["web", "1"],
    ["web", "app"],
    ["", "0"],
    [undefined, "0"],
    [null, 0],
    ["1e999999", "1e999998"],
    ["1 Gi", "1Gi"],
  ] as const)("distinguishes %s from %s", ([a, b]) => {
    expect(isSameQuantity(a, b)).toBe(false);
    expect(isSameQuantity(b, a)).toBe(false);
  });

  test("a quantity in thousandths is the same with and without its suffix", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10_000_000 }), (milli) => {
        const decimal = `${Math.floor(milli / 1000)}.${String(milli % 1000).padStart(3, "0")}`;
        return isSameQuantity(`${milli}m`, decimal);
      }),
    );
  });
});

describe("parseQuantity()", () => {
  test("contains billionths", () => expect(parseQuantity("1.5")).toBe(1_500_000_000n));
  test("rejects a text that is longer than any quantity", () => {
    expect(parseQuantity("9".repeat(200))).toBeTypeOf("bigint");
    expect(parseQuantity("9".repeat(201))).toBeUndefined();
  });
  test("rejects a text that is not a quantity", () => expect(parseQuantity({})).toBeUndefined());
});
