import { describe, expect, test } from "vitest";
import { oldestOfLargest } from "../../../operator/runtime/connection-limit.ts";

const held = (text: string) =>
  text.split(" ").map((word, at) => ({ at, address: word.charAt(0), weight: Number(word.slice(1)) }));

describe("oldestOfLargest()", () => {
  test.for([
    { which: "the oldest of the address with the most", items: "a1 b1 b1 a1 b1", gone: 1 },
    { which: "of the address that holds more, in however few", items: "a1 a1 b5 a1", gone: 2 },
    { which: "the oldest of all where addresses hold the same", items: "b1 a1 a1 b1", gone: 0 },
    { which: "the only one", items: "a0", gone: 0 },
  ])("is $which", ({ items, gone }) => {
    expect(oldestOfLargest(held(items))?.at).toBe(gone);
  });

  test("is never an exempt one, which still counts for its address", () => {
    const isSpared = ({ at }: { readonly at: number }): boolean => at < 2;
    expect(oldestOfLargest(held("b1 b1 a1 a1 b1"), isSpared)?.at).toBe(4);
    expect(oldestOfLargest(held("b1 b1"), isSpared)).toBeUndefined();
    expect(oldestOfLargest([])).toBeUndefined();
  });
});
