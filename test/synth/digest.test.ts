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
  test("does not see the order of keys", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(toCanonicalJson(reversed(value))).toBe(toCanonicalJson(value));
      }),
    );
  });

  test("is JSON of the same value, without fields that are undefined", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(toCanonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
    expect(toCanonicalJson({ b: 1, a: undefined, c: [undefined] })).toBe('{"b":1,"c":[null]}');
  });

  test("tells the order of a list", () => {
    expect(toCanonicalJson([1, 2])).not.toBe(toCanonicalJson([2, 1]));
  });
});

describe("digestOf()", () => {
  test("gives the first 16 bytes of SHA-256", () => {
    expect(digestOf("abc")).toBe("ba7816bf8f01cfea414140de5dae2223");
  });
});
