import { describe, expect, test } from "vitest";
import { LostObjects } from "../../../operator/engine/lost.ts";
import { idOf } from "../../../synth/manifest.ts";
import { aLiveObject } from "../../fakes/objects.ts";

const child = aLiveObject({ name: "child" });
const key = "shop/web";

describe("LostObjects", () => {
  test("reports once an object that another client deleted", () => {
    const lost = new LostObjects();
    lost.note(child, [key]);
    expect(lost.take("shop/other", idOf(child))).toBe(false);
    expect([lost.take(key, idOf(child)), lost.take(key, idOf(child))]).toEqual([true, false]);
  });

  test("does not report our own deletion, but that of a namesake by another client later", () => {
    const lost = new LostObjects();
    lost.expect(child);
    lost.note(child, [key]);
    expect(lost.take(key, idOf(child))).toBe(false);
    lost.note(aLiveObject({ name: "child", uid: "another" }), [key]);
    expect(lost.take(key, idOf(child))).toBe(true);
  });

  test("forgets what a resource no longer wants", () => {
    const lost = new LostObjects();
    lost.note(child, [key]);
    lost.forget(key);
    expect(lost.take(key, idOf(child))).toBe(false);
  });
});
