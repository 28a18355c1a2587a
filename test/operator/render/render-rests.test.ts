import { describe, expect, test } from "vitest";
import { type RenderEnd, RenderRests, restAfter } from "../../../operator/render/render-rests.ts";
import { FakeClock } from "../../fakes/fake-clock.ts";

const end = (over: Partial<RenderEnd> = {}): RenderEnd => ({
  ...{ key: "shop/web", namespace: "shop", way: "program", workedMs: 2_000, isWasted: false },
  ...over,
});

describe("restAfter()", () => {
  test.for([
    { way: "manifests", workedMs: 99, restMs: 0, what: "a quick folder" },
    { way: "manifests", workedMs: 100, restMs: 2_000, what: "a large folder" },
    { way: "manifests", workedMs: 9_000, restMs: 30_000, what: "a folder of the maximum size" },
    { way: "program", workedMs: 999, restMs: 0, what: "a quick program" },
    { way: "program", workedMs: 2_000, restMs: 8_000, what: "a slow program" },
    { way: "program", workedMs: 600_000, restMs: 30_000, what: "a program that loops" },
  ] as const)("$what: $restMs ms", ({ way, workedMs, restMs }) => {
    expect(restAfter({ way, workedMs })).toBe(restMs);
  });
});

describe("RenderRests", () => {
  test("lets only the Release rest after a long render", () => {
    const clock = new FakeClock();
    const rests = new RenderRests(clock);
    rests.note(end());
    expect(["shop/web", "shop/api", "shop"].map((who) => rests.leftMs(who))).toEqual([8_000, 0, 0]);
  });

  test("lets the slow programs of its namespace rest after a run for nothing, but not after a folder", () => {
    const rests = new RenderRests(new FakeClock());
    rests.note(end({ isWasted: true }));
    rests.note(end({ namespace: "other", way: "manifests", isWasted: true }));
    expect(["shop", "other"].map((who) => rests.leftMs(who))).toEqual([8_000, 0]);
  });

  test("ends a rest when its time is over, and a shorter one does not end a longer one", async () => {
    const clock = new FakeClock();
    const rests = new RenderRests(clock);
    rests.note(end({ isWasted: true, workedMs: 5_000 }));
    rests.note(end({ isWasted: true, key: "shop/api", workedMs: 1_000 }));
    expect(rests.leftMs("shop")).toBe(20_000);
    await clock.advance(15_000);
    expect(rests.leftMs("shop")).toBe(5_000);
    await clock.advance(5_000);
    expect(rests.leftMs("shop")).toBe(0);
  });
});
