import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BoundedText } from "../../../operator/git/bounded-text.ts";
import { limitRuns } from "../../long.ts";

function collect(text: string, { pieces = 1_000, secrets = [] as readonly string[] } = {}): string {
  const bounded = new BoundedText();
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += pieces) bounded.add(bytes.subarray(at, at + pieces));
  return bounded.toText(secrets);
}

describe("BoundedText", () => {
  test("does not change a short text", () => {
    const text = "fatal: x\n".repeat(7_000);
    expect(collect(text)).toBe(text);
    expect(collect("")).toBe("");
  });

  test("keeps the beginning and the end of a long text", () => {
    const text = collect(`first\n${"x".repeat(1_000_000)}\nlast`);
    expect(text.length).toBeLessThan(64 * 1_024);
    expect(text).toMatch(/^first\nx+\n…\nx+\nlast$/);
  });

  test("accepts a megabyte in single bytes", () => {
    expect(collect("x".repeat(1_000_000), { pieces: 1 }).length).toBeLessThan(64 * 1_024);
  });

  test("shows no part of a secret, wherever it is cut", () => {
    const secret = "Pä55-wörd of-a tenant";
    const parts = Array.from({ length: secret.length - 4 }, (_, at) => secret.slice(at, at + 5));
    // Lengths around both cuts: after the first and before the last 32 KiB.
    const length = fc.integer({ min: 32 * 1_024 - 40, max: 32 * 1_024 + 40 });
    fc.assert(
      fc.property(length, length, fc.integer({ min: 1, max: 9_000 }), (before, after, pieces) => {
        const text = `${"x".repeat(before)}${secret}${"y".repeat(100_000)}${secret}${"z".repeat(after)}`;
        const shown = collect(text, { pieces, secrets: [secret] });
        expect(parts.filter((part) => shown.includes(part))).toEqual([]);
      }),
      { numRuns: limitRuns(200), seed: 20_261_122 },
    );
  });

  test("shows no part of a secret that is longer than the kept text", () => {
    const secret = Array.from({ length: 40_000 }, (_, index) => index.toString(36)).join("");
    const shown = collect(`a${secret}${"x".repeat(100_000)}${secret}b`, { secrets: [secret] });
    expect(shown).toBe("\n…\n");
  });
});
