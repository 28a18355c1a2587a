import { describe, expect, test } from "vitest";
import { readOrRefuse } from "../../fakes/yaml-readers.ts";

describe("readYaml()", () => {
  test.for([
    { what: "keys that are not text", text: "on: 1\n", says: "1: the key on is not text" },
    { what: "tabs as indentation", text: "a:\n\tb: 1\n", says: "2: a tab is used to indent" },
    { what: "tabs after dashes", text: "- \ta: 1\n  b: 2\n", says: "1: " },
    {
      what: "repeated keys",
      text: "a: 1\nb: 2\na: 3\n",
      says: '3: the key "a" is defined twice',
    },
    {
      what: "repeated keys in braces",
      text: "{a: 1, a: 2}\n",
      says: '1: the key "a" is defined twice',
    },
    { what: "the key __proto__", text: "__proto__: 1\n", says: '1: the key "__proto__" is not allowed' },
    {
      what: "numbers that would lose digits",
      text: "a: 9007199254740993\n",
      says: "1: a number is too large",
    },
    {
      what: "two colons on a line",
      text: "a: b: c\n",
      says: "1: a text with a colon and a space must be in quotes",
    },
    {
      what: "a map on the line of its key",
      text: "a: &x b: c\n",
      says: "1: a text with a colon and a space must be in quotes",
    },
    {
      what: "keys after other values",
      text: "a:\n- b\n- [] c: 1\n",
      says: "3: there is text after the end of a value",
    },
    {
      what: "keys in braces without a space",
      text: "{a:, b: 1}\n",
      says: "1: a space is missing after a colon",
    },
    { what: "such keys after a space", text: "{a :}\n", says: "1: a space is missing after a colon" },
    { what: "tagged merge keys", text: "! <<: {a: 1}\n", says: "1: the key << is not text" },
    {
      what: "keys whose tag changes them",
      text: "!!int 0x10: 1\n",
      says: "1: the key 0x10 is not text",
    },
    { what: "wrong indentation", text: "a:\n    b: 1\n  c: 2\n", says: "3: the indentation does not match" },
    { what: "unterminated quotes", text: 'a: "b\n', says: "1: a quote is missing" },
    {
      what: "unterminated quotes, far above",
      text: "a: 'it''s\nb: c\nd: [x]\n",
      says: "1: a quote is missing",
    },
    {
      what: "unterminated brackets",
      text: "a: [1, 2\n",
      says: "2: the indentation does not match the lines above, or a bracket",
    },
    { what: "keys over several lines", text: "a: 1\nb\nc: 2\n", says: "3: " },
    {
      what: "texts after quotes",
      text: "a: 'it's'\n",
      says: "1: there is text after the end of a value",
    },
    { what: "unknown block scalars", text: "a: |x\n  b\n", says: "1: after | or > there" },
    { what: "reserved characters", text: "a: @b\n", says: "1: a text that begins with this character" },
    {
      what: "unknown aliases",
      text: "a: *x\n",
      says: "1: an alias refers to an anchor that does not exist",
    },
    { what: "aliases as keys", text: "a: &x b\n*x : 1\n", says: "2: a key is not text" },
    { what: "aliases inside of their anchors", text: "a: &x\n  - *x\n", says: "2: an alias is inside" },
    {
      what: "aliases of an anchor that is being redefined",
      text: "a: &x 1\nb: &x [*x]\n",
      says: "2: an alias is inside",
    },
    {
      what: "brackets after a text, next to brackets that end with less indentation",
      text: "a: [\n]\nb: c\n}\n",
      says: "2: the indentation does not match",
    },
    {
      what: "errors below brackets that end with less indentation",
      text: "a: [\n]\nb: @\n",
      says: "3: a text that begins with this character",
    },
    {
      what: "brackets that continue with less indentation",
      text: "a:\n  b: [1,\n 2]\n",
      says: "3: the indentation does not match",
    },
    { what: "two anchors", text: "a: &x &y 1\n", says: "1: a value has several anchors" },
    {
      what: "merges after a key that they set",
      text: "a: 1\n<<: {a: 2}\n",
      says: '2: "a" is before the <<',
    },
    { what: "merges of text", text: "<<: a\n", says: "1: << requires a map" },
    { what: "unknown escapes", text: 'a: "\\q"\n', says: "1: an escape in double quotes is unknown" },
    {
      what: "lone surrogates",
      text: 'a: "\\ud800"\n',
      says: "1: an escape in double quotes is not a valid character",
    },
    {
      what: "escapes beyond Unicode",
      text: 'a: "\\U04010000"\n',
      says: "1: an escape in double quotes is not a valid character",
    },
    {
      what: "a second document after a byte order mark",
      text: "a: 1\n\ufeff---\nb: 1\n",
      says: "1: there is text after the end",
    },
    { what: "deep nesting", text: `${"[".repeat(200)}${"]".repeat(200)}\n`, says: "1: is nested too deeply" },
    { what: "deep lists", text: `${"- ".repeat(200)}x\n`, says: "1: is nested too deeply" },
  ])("refuses $what", ({ text, says }) => {
    const result = readOrRefuse(text);
    expect("refused" in result ? result.refused.slice(0, says.length) : result).toBe(says);
  });

  test("reads 100 nested lists, and no more", () => {
    const nested = (depth: number): string => `${"[".repeat(depth)}x${"]".repeat(depth)}\n`;
    expect(readOrRefuse(nested(100))).toHaveProperty("value");
    expect(readOrRefuse(nested(101))).toEqual({ refused: "1: is nested too deeply" });
  });

  test("bounds the expansion of aliases", () => {
    const rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
    for (let row = 1; row < 9; row++) {
      rows.push(`a${row}: &a${row} [${Array.from({ length: 10 }, () => `*a${row - 1}`).join(", ")}]`);
    }
    const refused = expect.stringMatching(/: its aliases expand to too much data$/);
    expect(readOrRefuse(`${rows.join("\n")}\n`)).toEqual({ refused });
    const merges = `a: &a {x: "${"y".repeat(1_000)}"}\nb: [${Array.from({ length: 2_000 }, () => "{<<: *a}").join(",")}]\n`;
    expect(readOrRefuse(merges)).toEqual({ refused });
  });
});
