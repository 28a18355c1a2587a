import { describe, expect, test } from "vitest";
import { Freshness } from "../../../operator/runtime/freshness.ts";

const newest = (askedMs: number) => ({ resourceVersion: "", askedMs });

/** Whether it is met by now. */
async function isMet(freshness: Freshness): Promise<boolean> {
  let met = false;
  void freshness.whenMet(new AbortController().signal).then(() => (met = true));
  await Promise.resolve();
  await Promise.resolve();
  return met;
}

describe("Freshness", () => {
  test("a request that was sent later is awaited, an earlier one is sent again", async () => {
    const freshness = new Freshness();
    freshness.asked(newest(10));
    expect(freshness.want(5)).toBe(false);
    expect(freshness.want(20)).toBe(true);
    freshness.answered();
    expect(freshness.isBehind).toBe(true);
    freshness.asked(newest(21));
    expect(await isMet(freshness)).toBe(false);
    freshness.answered();
    expect(await isMet(freshness)).toBe(true);
  });

  test("a response counts once: a later caller needs another request, also during a watch", async () => {
    const freshness = new Freshness();
    freshness.asked(newest(10));
    freshness.answered();
    expect(freshness.want(10)).toBe(false);
    expect(await isMet(freshness)).toBe(true);
    expect(freshness.want(30)).toBe(true);
    expect(await isMet(freshness)).toBe(false);
  });

  test("a response from a cache does not show how new it is", () => {
    const freshness = new Freshness();
    freshness.asked({ resourceVersion: "0", askedMs: 10 });
    freshness.answered();
    expect(freshness.want(5)).toBe(true);
  });
});
