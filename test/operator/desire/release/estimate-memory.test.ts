import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { estimateFileMemory, estimateMemory } from "../../../../operator/desire/release/estimate-memory.ts";
import { planMemory } from "../../../../operator/desire/release/plan-memory.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Bytes that the value of a JSON text takes on V8's heap. */
function measure(json: string): number {
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const value: unknown = JSON.parse(json);
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
  test.for(Object.entries(texts))("comes near to what V8 needs for %s", ([, json]) => {
    const measured = measure(json);
    expect(estimateMemory(json)).toBeGreaterThan(measured * 0.6);
    expect(estimateFileMemory(Buffer.from(json))).toBeGreaterThan(measured * 0.6);
  });

  test("counts a text by its length, whatever is in it", () => {
    const text = '{[,:\\"'.repeat(1_000);
    const json = JSON.stringify({ text });
    expect(estimateMemory(json)).toBeLessThan(json.length + 200);
  });

  test("takes a text that is cut short", () => {
    expect([estimateMemory('{"a'), estimateMemory('"\\')]).toEqual([67, 2]);
  });
});

describe("planMemory()", () => {
  test("shares out the limit of a container, and leaves more than half of it to the operator", () => {
    const { programs, rendered } = planMemory(512 * 2 ** 20);
    expect(rendered.perNamespace * 2).toBeLessThanOrEqual(rendered.all);
    expect(programs.totalMiB * 2 ** 20 + rendered.all).toBeLessThan(256 * 2 ** 20);
  });
});
