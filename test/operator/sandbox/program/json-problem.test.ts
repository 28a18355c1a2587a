import { describe, expect, test } from "vitest";
import { firstProblem } from "../../../../operator/sandbox/program/inside/json-problem.ts";
import { readManifest } from "../../../../operator/sandbox/program/read-manifest.ts";

class Replicas {
  readonly count = 1;
}

describe("firstProblem()", () => {
  test.for([
    { value: new Map([["a", 1]]), says: "spec.x is of class Map, which JSON cannot express" },
    { value: new Set([1]), says: "spec.x is of class Set, which JSON cannot express" },
    { value: /x/, says: "spec.x is of class RegExp, which JSON cannot express" },
    { value: new Date(0), says: "spec.x is of class Date, which JSON cannot express" },
    { value: new Uint8Array(2), says: "spec.x is of class Uint8Array, which JSON cannot express" },
    { value: new Replicas(), says: "spec.x is of class Replicas, which JSON cannot express" },
    { value: Object.create({ a: 1 }), says: "spec.x is not a plain object, which JSON cannot express" },
    { value: Object(1n), says: "spec.x is of class BigInt, which JSON cannot express" },
    // biome-ignore lint/suspicious/noSparseArray: the test needs it
    { value: [1, , 3], says: "spec.x[1] is missing, which JSON would make null" },
    {
      value: Object.assign([1], { more: 2 }),
      says: "spec.x.more is a field of an array, which JSON cannot express",
    },
    { value: { [Symbol("a")]: 1 }, says: "spec.x has a key that is a symbol" },
    { value: "a\ud800", says: "spec.x contains a lone surrogate (half of a character)" },
    { value: { "\udc00": 1 }, says: "spec.x has a key that contains a lone surrogate (half of a character)" },
    { value: Number.NaN, says: "spec.x is NaN, which JSON cannot express" },
  ])("$says", ({ value, says }) => {
    expect(firstProblem({ spec: { x: value } })).toBe(says);
  });

  test("accepts everything that JSON can express", () => {
    const parsed: unknown = JSON.parse('{"a": [null, 1.5, "ü😀", {}], "b": {"c": true}}');
    expect(firstProblem({ parsed, absent: undefined, bare: Object.create(null) })).toBeUndefined();
  });
});

test("readManifest() rejects lone surrogates that a program wrote itself", () => {
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };
  for (const data of [{ a: "\ud800" }, { "\ud800": "a" }])
    expect(() => readManifest({ ...object, data }, "c/o")).toThrow(
      /c\/o: data.* contains a lone surrogate \(half of a character\)/,
    );
});

test("a list may contain null, as an enum of a CRD does, also after cdk8s converted it to undefined", () => {
  expect(firstProblem({ enum: ["a", null, undefined] })).toBeUndefined();
});
