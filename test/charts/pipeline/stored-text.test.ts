import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { shortenText, storedBytes } from "../../../charts/pipeline/stored-text.ts";

/** Texts with characters of one to six bytes, halves of characters, and control characters. */
const aText = fc
  .array(
    fc.constantFrom("a", "é", "語", "😀", "\ud83d", "\ude00", '"', "\\", "<", "&", "\n", "\u0000", "\u2028"),
  )
  .map((parts) => parts.join(""));

describe("shortenText()", () => {
  test("fits, is well-formed, has no control characters, and stays the same when shortened again", () => {
    fc.assert(
      fc.property(aText, fc.integer({ min: 10, max: 60 }), (text, most) => {
        const short = shortenText(text, most);
        expect(storedBytes(short) - 2).toBeLessThanOrEqual(most);
        expect(short.isWellFormed()).toBe(true);
        expect(short).not.toMatch(/\p{Cc}/u);
        expect(shortenText(short, most)).toBe(short);
      }),
    );
  });

  test("keeps a text that fits, and marks one that is cut", () => {
    expect(shortenText("12345678", 8)).toBe("12345678");
    expect(shortenText("123456789", 8)).toBe("12345…");
    expect(shortenText("😀😀😀", 8)).toBe("😀…");
    expect(shortenText("<<<", 18)).toBe("<<<");
    expect(shortenText("<<<", 17)).toBe("<<…");
  });
});
