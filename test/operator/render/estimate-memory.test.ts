import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { parseEvents } from "js-yaml";
import { describe, expect, test } from "vitest";

import {
  estimateFileMemory,
  estimateMemory,
  estimateYamlMemory,
} from "../../../operator/render/estimate-memory.ts";
import { planMemory } from "../../../operator/sandbox/plan-memory.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Bytes of the value of a text on V8's heap. */
function measure(text: string, make: (text: string) => unknown = JSON.parse): number {
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const value: unknown = make(text);
  collectGarbage();
  const bytes = process.memoryUsage().heapUsed - before;
  expect(value).toBeDefined();
  return bytes;
}

const times = (count: number, item: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => item(index)).join(",");

const texts: Readonly<Record<string, string>> = {
  "empty objects": `[${times(300_000, () => "{}")}]`,
  "empty lists": `[${times(300_000, () => "[]")}]`,
  "keys of their own": `{${times(60_000, (index) => `"key${index}":1`)}}`,
  "objects with a key of their own": `[${times(60_000, (index) => `{"key${index}":1}`)}]`,
  "short texts": `[${times(200_000, (index) => `"${index.toString(36)}"`)}]`,
  numbers: `[${times(200_000, (index) => `${index}.5`)}]`,
  "nested lists": `[${times(3_000, () => `${"[".repeat(90)}${"]".repeat(90)}`)}]`,
};

describe("estimateMemory()", () => {
  test.for(Object.entries(texts))("is close to V8's memory for %s", ([, json]) => {
    const measured = measure(json);
    expect(estimateMemory(json)).toBeGreaterThan(measured * 0.6);
    expect(estimateFileMemory(Buffer.from(json))).toBeGreaterThan(measured * 0.6);
  });

  test("counts a text by its length, for any content", () => {
    const text = '{[,:\\"'.repeat(1_000);
    const json = JSON.stringify({ text });
    expect(estimateMemory(json)).toBeLessThan(json.length + 200);
  });

  test("accepts a truncated text", () => {
    expect([estimateMemory('{"a'), estimateMemory('"\\')]).toEqual([67, 2]);
  });
});

const yamlTexts: Readonly<Record<string, string>> = {
  fields: "some-key: some value\n".repeat(20_000),
  "short fields": "- a: 1\n".repeat(60_000),
  "nested dashes": "- - - - a\n".repeat(30_000),
  "empty fields": `{${"a,".repeat(100_000)}}`,
  "empty lists": `[${"[],".repeat(100_000)}]`,
  "empty keys": "?\n".repeat(100_000),
  "pairs in a list": `[${"[a: b],".repeat(40_000)}]`,
};

describe("estimateYamlMemory()", () => {
  test.for(Object.entries(yamlTexts))("is close to js-yaml's memory for %s", ([, text]) => {
    const measured = measure(text, (yaml) => parseEvents(yaml, {}));
    const estimated = estimateYamlMemory(Buffer.from(text));
    expect(estimated).toBeGreaterThan(measured * 0.6);
    expect(estimated).toBeLessThan(measured * 3);
  });

  test("counts the largest document of a file", () => {
    const document = "a: 1\n".repeat(1_000);
    const one = estimateYamlMemory(Buffer.from(document));
    const three = estimateYamlMemory(Buffer.from(`${document}---\n${document}a: 1\n---\na: 1\n`));
    expect(three - one).toBeLessThan(500 + document.length);
    expect(three).toBeGreaterThan(one + 200);
  });
});

describe("planMemory()", () => {
  test("divides the limit of a container, and leaves more than half of it to the operator", () => {
    const { programs, rendered } = planMemory(512 * 2 ** 20);
    expect(rendered.perNamespace * 2).toBeLessThanOrEqual(rendered.all);
    expect(programs.totalMiB * 2 ** 20 + rendered.all).toBeLessThan(256 * 2 ** 20);
  });
});
