import { describe, expect, test } from "vitest";
import { keysOfPromotion, promotionName } from "../../../charts/pipeline/promotion-names.ts";
import { Promotion } from "../../../crds/promotion.ts";
import { aLiveObject } from "../../fakes/objects.ts";
import { aShop, everywhere, hour } from "./stages.ts";

describe("names of Promotions", () => {
  test.for<readonly [name: string, pipeline: string | undefined, keys: readonly string[]]>([
    ["shop-prod-8", "shop", ["shop/shop"]],
    ["shop-prod-8", "other", ["shop/other", "shop/shop"]],
    ["shop-web-prod-8", "shop-web", ["shop/shop-web", "shop/shop"]],
    ["shop-prod-eu-1-8", "shop", ["shop/shop", "shop/shop-prod", "shop/shop-prod-eu"]],
    ["rollback-x7k2d", "shop", ["shop/shop"]],
    ["8", undefined, []],
    [`${"a-".repeat(100)}8`, "shop", ["shop/shop"]],
  ])("%s of Pipeline %s concerns %s", ([name, pipeline, keys]) => {
    const spec = { ...(pipeline && { pipeline }) };
    const live = aLiveObject({ kind: Promotion, name, namespace: "shop", fields: { spec } });
    expect(keysOfPromotion(live)).toEqual(keys);
  });

  test("are those of every Pipeline that could create them", () => {
    for (const [pipeline, stage] of [
      ["a", "b"],
      ["a-b", "c"],
      ["a", "b-c"],
      ["a-b", "c-d"],
    ] as const) {
      const name = promotionName({ pipeline, stage, number: 1 });
      const live = aLiveObject({
        kind: Promotion,
        name,
        namespace: "shop",
        fields: { spec: { pipeline: "x" } },
      });
      expect(keysOfPromotion(live)).toContain(`shop/${pipeline}`);
    }
  });

  test("that another Pipeline or a user has taken are left out, and keep no stage waiting", () => {
    const world = aShop();
    for (const name of ["shop-dev-1", "shop-prod-1", "shop-prod-2"])
      world.create({ kind: Promotion, name, spec: { pipeline: "other", stage: "dev", revision: "1" } });
    world.push(everywhere("1"));
    world.run(hour);
    expect(world.promotions().map(({ metadata }) => metadata.name)).toEqual([
      ...["shop-staging-1", "shop-dev-2", "shop-prod-3"],
    ]);
    expect(world.stage("prod").phase).toBe("Passed");
  });
});
