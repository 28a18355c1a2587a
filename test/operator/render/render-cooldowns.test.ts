import { describe, expect, test } from "vitest";
import { delayAfter, RenderCooldowns, type RenderEnd } from "../../../operator/render/render-cooldowns.ts";
import { FakeClock } from "../../fakes/fake-clock.ts";

const end = (over: Partial<RenderEnd> = {}): RenderEnd => ({
  ...{ key: "shop/web", namespace: "shop", way: "program", workedMs: 3_000, isWasted: false },
  ...over,
});

describe("delayAfter()", () => {
  test.for([
    { way: "manifests", workedMs: 100, isWasted: false, delayMs: 0, what: "a quick folder" },
    { way: "manifests", workedMs: 101, isWasted: false, delayMs: 20, what: "a little more work" },
    { way: "manifests", workedMs: 300, isWasted: true, delayMs: 4_000, what: "a large folder" },
    {
      way: "manifests",
      workedMs: 9_000,
      isWasted: false,
      delayMs: 30_000,
      what: "a folder of the maximum size",
    },
    { way: "program", workedMs: 1_000, isWasted: false, delayMs: 0, what: "a quick program" },
    { way: "program", workedMs: 3_000, isWasted: false, delayMs: 8_000, what: "a slow program" },
    {
      way: "program",
      workedMs: 900,
      isWasted: true,
      delayMs: 3_600,
      what: "a program that was cancelled soon",
    },
    { way: "program", workedMs: 600_000, isWasted: true, delayMs: 30_000, what: "a program that loops" },
  ] as const)("$what: $delayMs ms", ({ delayMs, ...work }) => {
    expect(delayAfter(work)).toBe(delayMs);
  });
});

describe("RenderCooldowns", () => {
  test("delays only the Release after an expensive render", () => {
    const cooldowns = new RenderCooldowns(new FakeClock());
    cooldowns.note(end());
    expect(["shop/web", "shop/api"].map((key) => cooldowns.ofKey(key))).toEqual([8_000, 0]);
    expect(cooldowns.ofSlowPrograms("shop")).toBe(0);
  });

  test("delays the slow programs of the namespace after a wasted run, but not after a folder", () => {
    const cooldowns = new RenderCooldowns(new FakeClock());
    cooldowns.note(end({ isWasted: true }));
    cooldowns.note(end({ namespace: "other", way: "manifests", isWasted: true }));
    expect(["shop", "other"].map((name) => cooldowns.ofSlowPrograms(name))).toEqual([12_000, 0]);
  });

  test("ends a delay when its time is over, and a shorter one does not end a longer one", async () => {
    const clock = new FakeClock();
    const cooldowns = new RenderCooldowns(clock);
    cooldowns.note(end({ isWasted: true, workedMs: 5_000 }));
    cooldowns.note(end({ isWasted: true, key: "shop/api", workedMs: 1_000 }));
    expect(cooldowns.ofSlowPrograms("shop")).toBe(20_000);
    await clock.advance(15_000);
    expect(cooldowns.ofSlowPrograms("shop")).toBe(5_000);
    await clock.advance(5_000);
    expect(cooldowns.ofSlowPrograms("shop")).toBe(0);
  });
});
