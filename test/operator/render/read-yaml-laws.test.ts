import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { readOrRefuse, readOtherwise } from "../../fakes/yaml-readers.ts";
import { limitRuns } from "../../long.ts";

// The seeds are fixed, so that the result is the same everywhere.

describe("readYaml()", () => {
  test("reads values in many notations as another parser does", () => {
    const scalar = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 30 }),
      fc.stringMatching(/^[a-z0-9 :#,'"{}[\]|>\-?!&*%@`\n\\.~_]{0,40}$/),
      fc.constantFrom(
        "yes",
        "null",
        "~",
        "0644",
        "1e3",
        "1.0",
        "-",
        ":",
        "# x",
        "a: b",
        "x\n\n y\n",
        " lead",
        "trail ",
      ),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
    );
    const key = fc.oneof(
      { arbitrary: fc.stringMatching(/^[a-z][a-zA-Z0-9./_-]{0,12}$/), weight: 9 },
      { arbitrary: fc.string({ minLength: 1, maxLength: 8 }), weight: 1 },
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { depthSize: "small" },
        scalar,
        fc.array(tie("tree"), { maxLength: 4 }),
        fc.dictionary(
          key.filter((name) => name !== "__proto__"),
          tie("tree"),
          { maxKeys: 4 },
        ),
      ),
    }));
    const options = fc.record({
      indent: fc.constantFrom(1, 2, 4),
      indentSeq: fc.boolean(),
      lineWidth: fc.constantFrom(0, 20, 80),
      singleQuote: fc.constantFrom(null, true, false),
      blockQuote: fc.constantFrom<(boolean | "folded" | "literal")[]>(true, false, "folded", "literal"),
      collectionStyle: fc.constantFrom<("any" | "block" | "flow")[]>("any", "block", "flow"),
      flowCollectionPadding: fc.boolean(),
      version: fc.constantFrom<("1.1" | "1.2")[]>("1.1", "1.2"),
    });
    let count = 0;
    fc.assert(
      fc.property(
        fc.dictionary(
          key.filter((name) => name !== "__proto__"),
          tree,
        ),
        options,
        (value, style) => {
          const text = stringify(value, style);
          const result = readOrRefuse(text);
          if ("refused" in result) return;
          count++;
          expect(result.value).toEqual(readOtherwise(text));
        },
      ),
      { numRuns: limitRuns(500), seed: 20_261_121 },
    );
    // Most of them are accepted, otherwise the property would prove little.
    expect(count).toBeGreaterThan(limitRuns(150));
  });

  test("reads random combinations of lines as another parser does, or refuses them", () => {
    const piece = fc.constantFrom(
      ..."a: |b: |- |  |\n|\n|\n |\n  |\n    |x|yes|1|'|\"|[|]|{|}|, |,|#| #|: |:|&a |*a|!!str |<<: |? |- - |\\|\\n|\t|--|>|%|@|~|''|\"\"|key|e: f".split(
        "|",
      ),
      "|",
      "|-\n",
      ">\n  ",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 24 }), (pieces) => {
        const text = `${pieces.join("")}\n`;
        const [result, other] = [readOrRefuse(text), readOtherwise(text)];
        if ("refused" in result || other === undefined) return;
        expect(result.value).toEqual(other);
      }),
      { numRuns: limitRuns(3_000), seed: 20_261_121 },
    );
  });
});
