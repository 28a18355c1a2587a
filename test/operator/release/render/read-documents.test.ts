import { describe, expect, test } from "vitest";
import { readDocuments } from "../../../../operator/release/render/read-documents.ts";

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
  test("tells documents apart, and where each begins", () => {
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
      what: "line ends of Windows",
      text: "a: |\r\n  x\r\n  y\r\nb: 1\r\n",
      documents: [[1, { a: "x\ny\n", b: 1 }]],
    },
    { what: "a directive of the version", text: "%YAML 1.1\n---\na: 1\n", documents: [[2, { a: 1 }]] },
    { what: "a block at the very end", text: "a: |\n  x", documents: [[1, { a: "x\n" }]] },
  ])("reads $what", ({ text, documents }) => {
    // The line of a document with a `---` of its own is that of its content.
    expect(read(text).map(([, value]) => value)).toEqual(documents.map(([, value]) => value));
  });

  test("says the line of a mistake in a later document", () => {
    expect(problemOf("a: 1\n---\nb: 1\n---\nc: 1\nc: 2\n")).toBe('6: the key "c" is there twice');
  });

  test.for([
    { what: "other encodings", text: Buffer.from([0x61, 0x3a, 0x20, 0xff]), says: "1: is not UTF-8 text" },
    { what: "UTF-16", text: Buffer.from("\ufeffa: 1\n", "utf16le"), says: "1: is not UTF-8 text" },
    {
      what: "control characters",
      text: "a: 1\nb: x\u0000y\n",
      says: "2: has a control character; in double quotes it is written \\u and four digits",
    },
  ])("refuses $what", ({ text, says }) => {
    expect(problemOf(text)).toBe(says);
  });

  test("reads a large document, and says where it stopped if it cannot", () => {
    const large = `${Array.from({ length: 10_000 }, (_, index) => `key-${index}: "${index}"`).join("\n")}\n`;
    expect(Object.keys(read(large)[0]?.[1] ?? {})).toHaveLength(10_000);
    expect(problemOf(`${large}a: *y\n`)).toBe(
      "10001: an alias names an anchor that is not there; a text that begins with * must stand in quotes",
    );
  });
});

describe("readDocuments() of JSON", () => {
  test("reads one text", () => {
    expect(read('\n{"a": [1, 2.5, "x\\"y", {"b": null}], "c": {"b": true}}\n', "a.json")).toEqual([
      [2, { a: [1, 2.5, 'x"y', { b: null }], c: { b: true } }],
    ]);
    expect(read(" \n", "a.json")).toEqual([]);
  });

  test.for([
    {
      what: "a key that is there twice",
      text: '{"a": 1,\n "b": {"a": 1},\n "a": 2}',
      says: '3: the key "a" is there twice',
    },
    { what: "one that is escaped", text: '{"a": 1, "\\u0061": 2}', says: '1: the key "a" is there twice' },
    { what: "the key __proto__", text: '{"__proto__": 1}', says: '1: the key "__proto__" is not allowed' },
    {
      what: "an integer that would lose digits",
      text: '{"a":\n 9007199254740993}',
      says: "2: a number is too large; put it in quotes if it is text",
    },
    {
      what: "a number without end",
      text: '{"a": 1e999}',
      says: "1: a number is too large; put it in quotes if it is text",
    },
    { what: "deep nests", text: `${"[".repeat(200)}${"]".repeat(200)}`, says: "1: is nested too deeply" },
    { what: "a comma too many", text: '{\n"a": 1,\n}', says: "3: is not valid JSON" },
    { what: "a missing value", text: '{\n"a":\n}', says: "3: is not valid JSON" },
    { what: "an end that is missing", text: '{\n"a": 1', says: "2: is not valid JSON" },
    { what: "two texts", text: '{"a": 1}\n{"a": 2}', says: "2: is not valid JSON" },
    { what: "YAML", text: "a: hunter2\n", says: "1: is not valid JSON" },
    { what: "a password without quotes", text: '{"a":\n hunter2}', says: "2: is not valid JSON" },
  ])("refuses $what", ({ text, says }) => {
    expect(problemOf(text, "a.json")).toBe(says);
  });

  test("does not take a text in a list for a key", () => {
    expect(read('[{"a": ["a", "a", {"a": "a"}], "b": "a"}]', "a.json")).toEqual([
      [1, [{ a: ["a", "a", { a: "a" }], b: "a" }]],
    ]);
  });
});
