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

  test("does not report our deletion, but a later deletion of an object of the same name by another client", () => {
    const lost = new LostObjects();
    lost.expect(child);
    lost.note(child, [key]);
    expect(lost.take(key, idOf(child))).toBe(false);
    lost.note(aLiveObject({ name: "child", uid: "another" }), [key]);
    expect(lost.take(key, idOf(child))).toBe(true);
  });

  test("drops objects that a resource no longer desires", () => {
    const lost = new LostObjects();
    lost.note(child, [key]);
    lost.forget(key);
    expect(lost.take(key, idOf(child))).toBe(false);
  });
});
