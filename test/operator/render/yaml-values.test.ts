import { describe, expect, test } from "vitest";
import { readYaml } from "../../../operator/render/read-yaml.ts";
import { read } from "../../fakes/yaml-readers.ts";

/** Line and message of the error of a text. */
function problemOf(text: string, firstLine = 1): string {
  try {
    for (const _ of readYaml({ text, firstLine }));
  } catch (error) {
    const { line, message } = error as { line: number; message: string };
    return `${line}: ${message}`;
  }
  return "no problem";
}

describe("toPlainValue()", () => {
  test.for([
    { does: "anchors and aliases", text: "a: &x {b: 1}\nc: *x\n", value: { a: { b: 1 }, c: { b: 1 } } },
    {
      does: "merge keys",
      text: "a: &x {b: 1, c: 2}\nd:\n  <<: *x\n  c: 3\n",
      value: { a: { b: 1, c: 2 }, d: { b: 1, c: 3 } },
    },
    {
      does: "merges of several maps",
      text: "a:\n  <<: [{b: 1}, {b: 2, c: 3}]\n",
      value: { a: { b: 1, c: 3 } },
    },
    {
      does: "tags",
      text: "a: !!str 1\nb: !!int \"2\"\nc: !!float 3\nd: ! yes\ne: !!null ''\nf: !!map {}\ng: !!seq []\n",
      value: { a: "1", b: 2, c: 3, d: "yes", e: null, f: {}, g: [] },
    },
    {
      does: "an anchor that is redefined",
      text: "a: &x 1\nb: *x\nc: &x 2\nd: *x\n",
      value: { a: 1, b: 1, c: 2, d: 2 },
    },
    { does: "escapes of YAML only", text: 'a: "\\x41\\e\\_\\\n  b"\n', value: { a: "A\u001b\u00a0b" } },
    { does: "complex keys that are text", text: "? a\n: b\n", value: { a: "b" } },
    {
      does: "keys that keep their notation",
      text: '80: a\ntrue: b\n"on": c\n',
      value: { "80": "a", true: "b", on: "c" },
    },
    {
      does: "words as kubectl does",
      text: "a: yes\nb: 0644\nc: 2026-11-21\nd: 1:30\n",
      value: { a: true, b: 420, c: "2026-11-21", d: "1:30" },
    },
  ])("reads $does", ({ text, value }) => {
    expect(read(text)).toEqual(value);
  });

  test.for([
    {
      what: "a repeated key",
      text: "a: 1\nb:\n  c: 1\n  c: 2\n",
      says: '4: the key "c" is defined twice',
    },
    {
      what: "a key of another type",
      text: "a: 1\non: 2\n",
      says: "2: the key on is not text; put it in quotes",
    },
    { what: "an empty key", text: "~: 2\n", says: "1: the key ~ is not text; put it in quotes" },
    { what: "a list as a key", text: "[a]: 2\n", says: "1: a key is not text" },
    {
      what: "the key __proto__",
      text: "a:\n  __proto__: {}\n",
      says: '2: the key "__proto__" is not allowed',
    },
    {
      what: "a number that would lose digits",
      text: "a: 9007199254740993\n",
      says: "1: a number is too large or not a number; put it in quotes if it is text",
    },
    {
      what: "not a number",
      text: "a: .nan\n",
      says: "1: a number is too large or not a number; put it in quotes if it is text",
    },
    {
      what: "an unknown alias",
      text: "a: *x\n",
      says: "1: an alias refers to an anchor that does not exist; a text that begins with * must be in quotes",
    },
    {
      what: "an alias inside of its anchor",
      text: "a: &x\n  - *x\n",
      says: "2: an alias is inside its own anchor",
    },
    {
      what: "a custom tag",
      text: "a: !vault x\n",
      says: "1: a tag is not supported; a text that begins with ! must be in quotes",
    },
    { what: "a tag that does not match", text: "a: !!int x\n", says: "1: a tag does not match its value" },
    {
      what: "a merge after a key that it sets",
      text: "a:\n  b: 1\n  <<: {b: 2}\n",
      says: '3: "b" is before the << that also sets it; put << first',
    },
    { what: "a merge of text", text: "a:\n  <<: x\n", says: "2: << requires a map, or a list of maps" },
    { what: "a tab", text: "a:\n\tb: 1\n", says: "2: a tab is used to indent; YAML allows only spaces" },
    { what: "deep nesting", text: `${"[".repeat(101)}${"]".repeat(101)}\n`, says: "1: is nested too deeply" },
  ])("refuses $what", ({ text, says }) => {
    expect(problemOf(text)).toBe(says);
  });

  test("refuses extremely deep nesting without a stack overflow", () => {
    expect(problemOf(`a: ${"[".repeat(100_000)}\n`)).toContain("too deeply");
  });

  test("counts lines from the beginning of the document", () => {
    expect(problemOf("a: 1\na: 2\n", 41)).toBe('42: the key "a" is defined twice');
  });

  test("refuses aliases that expand too much", () => {
    const rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
    for (let row = 1; row < 9; row++) {
      rows.push(`a${row}: &a${row} [${Array.from({ length: 10 }, () => `*a${row - 1}`).join(", ")}]`);
    }
    expect(problemOf(`${rows.join("\n")}\n`)).toMatch(/: its aliases expand to too much data$/);
    const merges = `a: &a {x: "${"y".repeat(1_000)}"}\nb: [${Array.from({ length: 2_000 }, () => "{<<: *a}").join(",")}]\n`;
    expect(problemOf(merges)).toMatch(/: its aliases expand to too much data$/);
  });

  test.for([
    "apiVersion: v1\nkind: Secret\nstringData:\n  password: hunter2: no\n",
    "a: 'hunter2\n",
    'a: "hunter2\\q"\n',
    "a: @hunter2\n",
    "- hunter2\nhunter2\n",
    "a: |9hunter2\n",
    "a: !!int hunter2\n",
    "hunter2",
    "%hunter2\n---\n",
    "a: [hunter2\nb: 1\n",
    "{hunter2: } }\n",
    "a: hunter2\n b: hunter2\n",
  ])("does not expose the values in %j", (text) => {
    expect(problemOf(text)).not.toContain("hunter2");
  });
});
