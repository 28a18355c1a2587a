import { describe, expect, test } from "vitest";
import { LostObjects } from "../../../operator/engine/lost.ts";
import { idOf } from "../../../synth/manifest.ts";
import { aLiveObject } from "../../fakes/objects.ts";

const child = aLiveObject({ name: "child" });
const recreated = aLiveObject({ name: "child", uid: "recreated" });
const key = "shop/web";

describe("LostObjects", () => {
  test("reports once an object that another client deleted", () => {
    const lost = new LostObjects();
    lost.note(child, [key]);
    expect(lost.take("shop/other", recreated)).toBe(false);
    expect([lost.take(key, recreated), lost.take(key, recreated)]).toEqual([true, false]);
  });

  test("does not report our deletion, but a later deletion of an object of the same name by another client", () => {
    const lost = new LostObjects();
    lost.expect(child);
    lost.note(child, [key]);
    expect(lost.take(key, recreated)).toBe(false);
    lost.note(aLiveObject({ name: "child", uid: "another" }), [key]);
    expect(lost.take(key, recreated)).toBe(true);
  });

  test("keeps an object whose deletion was observed before the response to its apply", () => {
    const lost = new LostObjects();
    lost.note(recreated, [key]);
    expect(lost.take(key, recreated)).toBe(false);
    expect(lost.has(key, idOf(recreated))).toBe(true);
  });

  test("drops objects that a complete resource no longer desires or has again, and keeps those lost during the run", () => {
    const lost = new LostObjects();
    for (const name of ["surplus", "again", "during"]) lost.note(aLiveObject({ name, uid: name }), [key]);
    const during = idOf(aLiveObject({ name: "during" }));
    lost.settle(key, (id) => id === during);
    expect(["surplus", "again", "during"].map((name) => lost.has(key, idOf(aLiveObject({ name }))))).toEqual([
      false,
      false,
      true,
    ]);
  });

  test("drops the objects of a deleted resource", () => {
    const lost = new LostObjects();
    lost.note(child, [key]);
    lost.forget(key);
    expect(lost.has(key, idOf(child))).toBe(false);
  });
});
