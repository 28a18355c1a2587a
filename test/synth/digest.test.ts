import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { digestOf, toCanonicalJson } from "../../synth/digest.ts";

const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, field]) => [key, reversed(field)]),
  );
};

describe("toCanonicalJson()", () => {
  test("does not depend on the order of keys", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(toCanonicalJson(reversed(value))).toBe(toCanonicalJson(value));
      }),
    );
  });

  test("is JSON of the same value, without undefined fields", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(toCanonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
    expect(toCanonicalJson({ b: 1, a: undefined, c: [undefined] })).toBe('{"b":1,"c":[null]}');
  });

  test("writes the deepest objects that the API server accepts in the same form as others", () => {
    const nest = (value: unknown, levels: number): unknown => {
      let nested = value;
      for (let level = 0; level < levels; level++)
        nested = level % 2 === 0 ? { b: nested, a: 1 } : [nested, 2];
      return nested;
    };
    const text = (levels: number): string =>
      toCanonicalJson(nest({ y: undefined, x: [undefined, "é"] }, levels));
    for (const levels of [499, 500, 501, 502, 10_000]) {
      const [open, close] = ['{"a":1,"b":', "}"];
      let expected = '{"x":[null,"é"]}';
      for (let level = 0; level < levels; level++)
        expected = level % 2 === 0 ? `${open}${expected}${close}` : `[${expected},2]`;
      expect(text(levels) === expected, `${levels} levels`).toBe(true);
    }
  });

  test("depends on the order of a list", () => {
    expect(toCanonicalJson([1, 2])).not.toBe(toCanonicalJson([2, 1]));
  });
});

describe("digestOf()", () => {
  test("is the first 16 bytes of SHA-256", () => {
    expect(digestOf("abc")).toBe("ba7816bf8f01cfea414140de5dae2223");
  });
});
