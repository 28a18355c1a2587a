import { describe, expect, test } from "vitest";
import { locateInYaml, readYaml } from "../../../operator/render/read-yaml.ts";

function read(text: string): unknown {
  const reading = readYaml({ text, firstLine: 11 });
  let step = reading.next();
  while (!step.done) step = reading.next();
  return step.value;
}

function problemOf(text: string): string {
  try {
    read(text);
  } catch (error) {
    const { line, message, reason } = error as { line: number; message: string; reason: string };
    return `${reason} ${line}: ${message}`;
  }
  return "no problem";
}

/** A line of 4 KB. */
const large = `long: "${"x".repeat(4_000)}"\n`;

describe("readYaml()", () => {
  test("reads tags and complex keys in documents of any size", () => {
    expect(read("---\na: !!str 1\n? b\n: 2\n")).toEqual({ a: "1", b: 2 });
    expect(read(`${large}a: !!str 1\n? b\n: 2\n`)).toMatchObject({ a: "1", b: 2 });
    expect(problemOf(`${large}b: 1\n? a\n? a\n`)).toBe('RenderFailed 14: the key "a" is defined twice');
  });

  test.for([
    {
      what: "a repeated key",
      text: "a: 1\nb: 2\na: 3\n",
      says: 'RenderFailed 14: the key "a" is defined twice',
    },
    {
      what: "a repeated key in braces",
      text: "a: {b: 1,\n  b: 2}\n",
      says: 'RenderFailed 13: the key "b" is defined twice',
    },
    {
      what: "a key of another type",
      text: "on: 1\n",
      says: "RenderFailed 12: the key on is not text; put it in quotes",
    },
    {
      what: "an unknown alias",
      text: "a:\n- *x\n",
      says: "RenderFailed 13: an alias refers to an anchor that does not exist; a text that begins with * must be in quotes",
    },
    {
      what: "wrong indentation",
      text: "a:\n  b: 1\n   c: 1\n",
      says: "RenderFailed 14: a text with a colon and a space must be in quotes",
    },
    {
      what: "other wrong indentation",
      text: "a:\n    b: 1\n  c: 1\n",
      says: "RenderFailed 14: the indentation does not match the lines above",
    },
    { what: "an unterminated quote", text: "a: 'b\nc: 1\n", says: "RenderFailed 12: a quote is missing" },
    {
      what: "a tab",
      text: "a:\n\tb: 1\n",
      says: "RenderFailed 13: a tab is used to indent; YAML allows only spaces",
    },
    {
      what: "a large number",
      text: "a: 12345678901234567890\n",
      says: "RenderFailed 12: a number is too large or not a number; put it in quotes if it is text",
    },
    { what: "deep nesting", text: `a: ${"[".repeat(200)}\n`, says: "RenderLimit 12: is nested too deeply" },
    {
      what: "a bomb",
      text: `a: &a "${"x".repeat(600_000)}"\nb: [*a, *a]\n`,
      says: "RenderLimit 13: its aliases expand to too much data",
    },
  ])("reports the line of $what in a document of any size", ({ text, says }) => {
    expect(problemOf(large + text)).toBe(says);
  });

  test("reads large lists, and refuses other large documents", () => {
    const items = Array.from(
      { length: 20_000 },
      (_, index) => `- name: "${index}"\n  text: ${"x".repeat(80)}\n`,
    ).join("");
    expect(read(`kind: List\nitems:\n${items}`)).toMatchObject({ items: { length: 20_000 } });
    expect(problemOf(`things:\n${items}`)).toBe("RenderLimit 11: is larger than the limit for an object");
  });

  test("pauses after it has parsed a document, and once per 1,000 nodes", () => {
    const items = Array.from({ length: 20_000 }, (_, index) => `- a: ${index}\n`).join("");
    const steps = [...readYaml({ text: `kind: List\nitems:\n${items}more: 1\n`, firstLine: 1 })];
    // An item is a map, its end, a key and a value.
    expect(steps).toHaveLength(82);
  });
});

describe("locateInYaml()", () => {
  const text = `---\n# c\nkind: A\nmetadata:\n  labels: {x: 1,\n    a: 1}\nitems:\n- b: 1\n- c: 2\n  "d": 3\n${large}`;

  test.for([
    { path: ["metadata", "labels", "a"], line: 16 },
    { path: ["metadata", "labels", "nothing"], line: 15 },
    { path: ["items", 1, "d"], line: 20 },
    { path: ["nothing"], line: undefined },
    { path: [], line: undefined },
  ])("finds the line of $path", ({ path, line }) => {
    expect(locateInYaml({ text, firstLine: 11 }, path)).toBe(line);
  });
});
