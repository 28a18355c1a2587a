import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readDocuments } from "../../../operator/render/read-documents.ts";
import { limitRuns } from "../../long.ts";

/** Line and value of each document. */
function read(text: string | Buffer, path = "a.yaml"): readonly (readonly [number, unknown])[] {
  return [...readDocuments(path, Buffer.from(text))].flatMap((document) =>
    document === undefined ? [] : [[document.line, document.value] as const],
  );
}

function problemOf(text: string | Buffer, path = "a.yaml"): string {
  try {
    read(text, path);
  } catch (error) {
    const { line, message } = error as { line: number; message: string };
    return `${line}: ${message}`;
  }
  return "no problem";
}

describe("readDocuments()", () => {
  test("distinguishes documents, and finds their beginnings", () => {
    const text = [
      "# a file",
      "---",
      "a: 1",
      "--- # second",
      "",
      "# more",
      "b: |",
      "  ---",
      "  x",
      "---",
      "# nothing",
      "---",
      "~",
      "--- {c: 3}",
      "...",
      "# after the end",
      "---",
      "d: &x 4",
      "e: *x",
    ].join("\n");
    expect(read(text)).toEqual([
      [3, { a: 1 }],
      [7, { b: "---\nx\n" }],
      [14, { c: 3 }],
      [18, { d: 4, e: 4 }],
    ]);
  });

  test.for([
    { what: "an empty file", text: "", documents: [] },
    { what: "comments", text: "# a\n---\n# b", documents: [] },
    { what: "a byte order mark", text: "\ufeffa: 1\n", documents: [[1, { a: 1 }]] },
    {
      what: "Windows line endings",
      text: "a: |\r\n  x\r\n  y\r\nb: 1\r\n",
      documents: [[1, { a: "x\ny\n", b: 1 }]],
    },
    { what: "a directive of the version", text: "%YAML 1.1\n---\na: 1\n", documents: [[2, { a: 1 }]] },
    { what: "a block at the very end", text: "a: |\n  x", documents: [[1, { a: "x\n" }]] },
  ])("reads $what", ({ text, documents }) => {
    // The line of a document with a `---` is that of its content.
    expect(read(text).map(([, value]) => value)).toEqual(documents.map(([, value]) => value));
  });

  test.for(["\u2028", "\u2029", "\u0085"])("begins no document after %j, which ends no line", (separator) => {
    expect(read(`# a${separator}---\n# b\nc: 1\n`)).toEqual([[3, { c: 1 }]]);
    expect(read(`# a${separator}...\nc: 1\n`)).toEqual([[2, { c: 1 }]]);
  });

  test("reports the line of an error in a later document", () => {
    expect(problemOf("a: 1\n---\nb: 1\n---\nc: 1\nc: 2\n")).toBe('6: the key "c" is defined twice');
  });

  test.for([
    { what: "other encodings", text: Buffer.from([0x61, 0x3a, 0x20, 0xff]), says: "1: is not UTF-8 text" },
    { what: "UTF-16", text: Buffer.from("\ufeffa: 1\n", "utf16le"), says: "1: is not UTF-8 text" },
    {
      what: "control characters",
      text: "a: 1\nb: x\u0000y\n",
      says: "2: has a control character; write it in double quotes as \\u and four digits",
    },
  ])("refuses $what", ({ text, says }) => {
    expect(problemOf(text)).toBe(says);
  });

  test("reads a large document, and reports where it failed", () => {
    const large = `${Array.from({ length: 10_000 }, (_, index) => `key-${index}: "${index}"`).join("\n")}\n`;
    expect(Object.keys(read(large)[0]?.[1] ?? {})).toHaveLength(10_000);
    expect(problemOf(`${large}a: *y\n`)).toBe(
      "10001: an alias refers to an anchor that does not exist; a text that begins with * must be in quotes",
    );
  });
});

const tooLarge = "1: a number is too large; put it in quotes if it is text";

describe("readDocuments() of JSON", () => {
  test("reads one text", () => {
    expect(read('\n{"a": [1, 2.5, "x\\"y", {"b": null}], "c": {"b": true}}\n', "a.json")).toEqual([
      [2, { a: [1, 2.5, 'x"y', { b: null }], c: { b: true } }],
    ]);
    expect(read(" \n", "a.json")).toEqual([]);
  });

  test.for([
    {
      what: "a repeated key",
      text: '{"a": 1,\n "b": {"a": 1},\n "a": 2}',
      says: '3: the key "a" is defined twice',
    },
    { what: "one that is escaped", text: '{"a": 1, "\\u0061": 2}', says: '1: the key "a" is defined twice' },
    { what: "the key __proto__", text: '{"__proto__": 1}', says: '1: the key "__proto__" is not allowed' },
    {
      what: "an integer that would lose digits",
      text: '{"a":\n 9007199254740993}',
      says: "2: a number is too large; put it in quotes if it is text",
    },
    {
      what: "an infinite number",
      text: '{"a": 1e999}',
      says: "1: a number is too large; put it in quotes if it is text",
    },
    { what: "deep nesting", text: `${"[".repeat(200)}${"]".repeat(200)}`, says: "1: is nested too deeply" },
    { what: "a trailing comma", text: '{\n"a": 1,\n}', says: "3: is not valid JSON" },
    { what: "a missing value", text: '{\n"a":\n}', says: "3: is not valid JSON" },
    { what: "a missing end", text: '{\n"a": 1', says: "2: is not valid JSON" },
    { what: "an unterminated text", text: '{\n"a": "b\n', says: "2: is not valid JSON" },
    { what: "a line break in a text", text: '{\n"a": "b\n", "c": 1}', says: "2: is not valid JSON" },
    { what: "a tab in a text", text: '{\n"a": "b\tc"}', says: "2: is not valid JSON" },
    { what: "a number that begins with 0", text: '{\n"a": 01}', says: "2: is not valid JSON" },
    { what: "an integer of a thousand digits", text: `[${"1".repeat(1_000)}]`, says: tooLarge },
    { what: "two texts", text: '{"a": 1}\n{"a": 2}', says: "2: is not valid JSON" },
    { what: "YAML", text: "a: hunter2\n", says: "1: is not valid JSON" },
    { what: "a password without quotes", text: '{"a":\n hunter2}', says: "2: is not valid JSON" },
  ])("refuses $what", ({ text, says }) => {
    expect(problemOf(text, "a.json")).toBe(says);
  });

  test("returns the same value as JSON.parse()", () => {
    const text = fc.json().map((json) => json.replaceAll(/([[{,:])/g, "$1\n "));
    const broken = fc
      .tuple(text, fc.nat(), fc.constantFrom("", '"', "\\", "[", "}", ",", "-", "0", "\t"))
      .map(
        ([json, at, added]) => json.slice(0, at % (json.length + 1)) + added + json.slice(at % json.length),
      );
    const check = (json: string): void => {
      const problem = problemOf(json, "a.json");
      if (problem.endsWith(" is not valid JSON")) expect(() => JSON.parse(json)).toThrow(SyntaxError);
      else if (problem === "no problem" && json.trim() !== "")
        expect(read(json, "a.json")[0]?.[1]).toEqual(JSON.parse(json));
    };
    fc.assert(fc.property(fc.oneof(text, broken), check), { numRuns: limitRuns(2_000), seed: 20_261_122 });
  });

  // A reader with quadratic time takes hours for these texts, and the test runner aborts after 20 seconds.
  test.for([
    { what: "an unterminated text of escaped quotes", text: `["${'\\"'.repeat(2_000_000)}` },
    { what: "many unterminated texts", text: '"\n'.repeat(1_300_000) },
    { what: "an unterminated text of backslashes", text: `"${"\\".repeat(4_000_000)}` },
    { what: "a list of spaces", text: `[${" ".repeat(4_000_000)}` },
    { what: "a long number", text: `[${"1".repeat(4_000_000)}x` },
  ])("reads $what in linear time", ({ text }) => {
    expect(problemOf(text, "a.json")).toMatch(/^1: (is not valid JSON|a number is too large)/);
  });

  test("pauses at least every 2,000 values", () => {
    const pauses = (text: string): number =>
      [...readDocuments("a.json", Buffer.from(text))].filter((document) => document === undefined).length;
    expect(pauses(`[${"{},".repeat(100_000)}1]`)).toBe(53);
    expect(pauses(`{"a": [${'{"b":[1]},'.repeat(100_000)}1]}`)).toBe(153);
  });

  test("does not parse a text in a list as a key", () => {
    expect(read('[{"a": ["a", "a", {"a": "a"}], "b": "a"}]', "a.json")).toEqual([
      [1, [{ a: ["a", "a", { a: "a" }], b: "a" }]],
    ]);
  });
});
