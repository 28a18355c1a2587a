import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { toYaml } from "../../synth/yaml-text.ts";
import { limitRuns } from "../long.ts";

/** Texts that YAML parsers are known to convert to other values, or to change. */
const oddTexts = [
  "",
  " ",
  "yes",
  "No",
  "on",
  "OFF",
  "y",
  "N",
  "true",
  "null",
  "~",
  "0o7",
  "0x1F",
  "010",
  "1e3",
  "1_000",
  "1.0",
  ".5",
  "-.inf",
  ".nan",
  "2024-01-01",
  "2001-12-14t21:59:43.10-05:00",
  "12:30:45",
  "<<",
  "=",
  "!tag",
  "&anchor",
  "*alias",
  "- x",
  "-",
  "---",
  "...",
  "? x",
  ": x",
  "a: b",
  "a:",
  "a #b",
  "#",
  "%",
  "@",
  "`",
  "[",
  "]",
  "{",
  "}",
  "|",
  ">",
  "'",
  '"',
  "it's",
  'say "hi"',
  "back\\slash",
  "tab\t",
  "\ttab",
  "a\r\nb",
  "a\rb",
  "a\n",
  "a\n\n",
  "\na",
  " a\nb",
  "a \nb",
  "a\n b\n",
  "a\n\nb\n",
  "\n",
  "\u0000",
  "\u0007",
  "\u0085",
  "\u00a0",
  "\u2028",
  "\u2029",
  "\ufeff",
  "\ufffe",
  "Hola, 世界!",
  "Hola,\n世界!\n",
  "👋",
  "👋\nx",
  "e\u0301",
  "x".repeat(2000),
  "a\n---\nb",
  "a\n#b\n",
  "key: |\n  a\n",
  "NaN",
  "Infinity",
  "0b1",
  "+1",
  "1:30",
];

const oddText = fc.oneof(
  fc.constantFrom(...oddTexts),
  fc.string({ unit: "binary" }),
  fc.string({ unit: "grapheme" }),
  fc
    .array(fc.constantFrom("\n", " ", "\t", "\r", "a", ":", "#", "-", "\u00e9", "'"), { maxLength: 12 })
    .map((parts) => parts.join("")),
);

const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    oddText,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (Object.is(number, -0) ? 0 : number)),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("tree"), { maxLength: 4 }),
    fc.dictionary(
      oddText.filter((key) => key !== "__proto__"),
      tie("tree"),
      { maxKeys: 4, noNullPrototype: true },
    ),
  ),
}));

const anObject = fc.dictionary(
  oddText.filter((key) => key !== "__proto__"),
  tree,
  { noNullPrototype: true },
);

describe("toYaml()", () => {
  test("parses to the same value under YAML 1.2", () => {
    fc.assert(
      fc.property(anObject, (value) => {
        expect(parse(toYaml(value))).toEqual(value);
      }),
      { numRuns: limitRuns(500) },
    );
  });

  test("parses to the same value under YAML 1.1, which kubectl uses", () => {
    fc.assert(
      fc.property(anObject, (value) => {
        expect(parse(toYaml(value), { version: "1.1" })).toEqual(value);
      }),
      { numRuns: limitRuns(500) },
    );
  });

  test.for(oddTexts.map((text) => [JSON.stringify(text).slice(0, 30), text] as const))(
    "keeps %s",
    ([, text]) => {
      const value = { text, list: [text, [text]], nested: { a: { text } } };
      for (const version of ["1.1", "1.2"] as const) expect(parse(toYaml(value), { version })).toEqual(value);
    },
  );

  test("writes keys in order, long lines unbroken and multi-line text in blocks", () => {
    const value = {
      b: [{ d: 1, c: [] }, "x"],
      a: { script: "set -e\necho hi\n", text: "no end\nhere", none: undefined },
    };
    expect(toYaml(value)).toBe(
      "a:\n  script: |2\n    set -e\n    echo hi\n  text: |2-\n    no end\n    here\nb:\n  - c: []\n    d: 1\n  - x\n",
    );
  });

  test("escapes more characters on request, also in keys, in text of several lines and in deep values", () => {
    const escaped = /[\u200f\u202e]/g;
    const value = { "a\u202e": "b\u200fc", text: "d\u202e e\nf\n" };
    const nest = (levels: number): object => (levels === 0 ? value : { a: nest(levels - 1) });
    for (const one of [value, nest(510)]) {
      const text = toYaml(one, { escaped });
      expect(text).not.toMatch(escaped);
      expect(parse(text)).toEqual(one);
    }
    expect(toYaml(value, { escaped })).toBe('"a\\u202e": "b\\u200fc"\ntext: "d\\u202e e\\nf\\n"\n');
    expect(toYaml(value)).toBe('"a\u202e": "b\u200fc"\ntext: |2\n  d\u202e e\n  f\n');
  });

  test("writes an exponent with a point, without which YAML 1.1 does not parse a number", () => {
    expect(toYaml({ big: 1e21, small: -2e-7, plain: 1.5e300 })).toBe(
      "big: 1.0e+21\nplain: 1.5e+300\nsmall: -2.0e-7\n",
    );
  });

  test("writes very deeply nested values as JSON, which parses to the same value", () => {
    const nest = (levels: number): object => {
      let nested: object = { "a: b": "yes\u2028", big: 1e21, none: undefined };
      for (let level = 0; level < levels; level++) nested = level % 2 === 0 ? { a: nested } : [nested, "on"];
      return { spec: nested };
    };
    for (const version of ["1.1", "1.2"] as const)
      expect(parse(toYaml(nest(510)), { version })).toEqual(JSON.parse(JSON.stringify(nest(510))));
    expect(toYaml(nest(10_000)).length).toBeLessThan(1_000_000);
  });
});
