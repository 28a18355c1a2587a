import { describe, expect, test } from "vitest";
import { DeliveryWorld } from "./delivery-world.ts";
import { aShop, everywhere, gatesOf, hour, job, minute, promoted, threeStages } from "./stages.ts";

describe("Releases that change their stage", () => {
  const prodOf = (names: readonly string[], more: object = {}) => [
    { name: "prod", releases: names.map((name) => ({ name })), pass: { soak: "10m" }, ...more },
  ];

  test.for(["stays", "is deleted"])(
    "one that is removed from a stage while it is proven (it %s) keeps nothing waiting",
    (what) => {
      const world = new DeliveryWorld({ stages: prodOf(["a", "b"], { batch: 1 }), throughCharts: true });
      const commit = world.push({ a: "1", b: "1" });
      world.run(5 * minute);
      world.editStages(prodOf(["a"]));
      if (what === "is deleted") world.remove("Release", "b");
      world.run(hour);
      expect(promoted(world, "prod")).toEqual([commit, commit]);
      expect(world.stage("prod").phase).toBe("Passed");
    },
  );

  test("one that is added while another is proven is proven afterwards, and displaces nothing", () => {
    const world = new DeliveryWorld({ stages: prodOf(["a"]), throughCharts: true });
    const commit = world.push({ a: "1", b: "1" });
    world.run(5 * minute);
    world.addRelease("b", "prod");
    world.editStages(prodOf(["a", "b"]));
    world.run(4 * minute);
    expect(gatesOf(world, "prod")).toEqual(["Slot"]);
    world.run(hour);
    expect(world.promotions().map(({ status }) => status?.phase)).toEqual(["Passed", "Passed"]);
    expect(world.release("b").spec.revision).toBe(commit);
  });

  test("a stage with other Releases than then does not go back by itself", () => {
    const more = { onFailure: "RollBack", pass: { verify: [job()] } };
    const world = new DeliveryWorld({ stages: prodOf(["a", "b"], more), throughCharts: true });
    world.push({ a: "1", b: "1" });
    world.run(hour);
    world.editStages(prodOf(["a"], more));
    world.jobOutcome = () => "Failed";
    const bad = world.push({ a: "2", b: "2" });
    world.run(hour);
    expect(world.stage("prod").phase).toBe("Failed");
    world.jobOutcome = () => "Complete";
    const fix = world.push({ a: "3", b: "3" });
    world.run(hour);
    expect(promoted(world, "prod").slice(-2)).toEqual([bad, fix]);
    expect(world.stage("prod").phase).toBe("Passed");
  });

  test("one of a namespace that has nothing to do with the Pipeline is shown, and does not make it fail", () => {
    const world = aShop();
    const join = (name: string, namespace: string) => {
      world.addRelease(name, "prod");
      const release = world.release(name);
      const source = { ref: { pipeline: "shop", stage: "prod", namespace: "shop" } };
      world.change({ ...release, metadata: { ...release.metadata, namespace }, spec: { source } });
    };
    for (let count = 1; count <= 7; count++) join(`stranger-${count}`, "elsewhere");
    const commit = world.push(everywhere("1"));
    world.run(hour);
    expect(promoted(world, "prod")).toEqual([commit]);
    const { verdict } = world.pipeline.status as unknown as {
      readonly verdict: { readonly status: string; readonly message: string };
    };
    expect(verdict.status).toBe("Current");
    expect(verdict.message).toContain(
      'Release "elsewhere/stranger-5" names stage "prod", which does not list it; and 2 more Releases',
    );
    expect(verdict.message).not.toContain("stranger-6");
    join("neighbour", "shop");
    world.run(minute);
    expect(world.pipeline.status).toMatchObject({ verdict: { status: "Failed" } });
  });

  test("a request to an earlier name of a stage starts nothing, and a hold remains after a rename", () => {
    const world = aShop();
    const first = world.push(everywhere("1"));
    world.run(hour);
    world.push(everywhere("2"));
    world.run(hour);
    const rename = (name: string, formerly: readonly string[]) => {
      const [dev, staging, prod] = world.pipeline.spec.stages;
      world.editRelease("prod", { source: { ref: { pipeline: "shop", stage: name } } });
      world.editStages([dev, staging, { ...prod, name, formerly }] as object[]);
      world.run(minute);
    };
    rename("live", ["prod"]);
    const why = { by: "ann", reason: "bad", bypass: ["Order"] };
    world.request("by-old-name", { stage: "prod", revision: first, ...why });
    world.run(hour);
    expect(world.release("prod").spec.revision).not.toBe(first);
    world.request("back", { stage: "live", revision: first, by: "ann", reason: "bad", hold: true });
    world.run(hour);
    expect(world.release("prod").spec.revision).toBe(first);
    rename("main", ["prod", "live"]);
    world.push(everywhere("3"));
    world.run(hour);
    expect(world.stage("main").phase).toBe("Held");
    expect(world.release("prod").spec.revision).toBe(first);
  });

  test("Releases that still have the former name of their stage go on", () => {
    const world = aShop();
    const first = world.push(everywhere("1"));
    world.run(hour);
    const [dev, staging, prod] = threeStages() as [object, object, object];
    world.editStages([dev, { ...staging, name: "qa", formerly: ["staging"] }, prod]);
    const next = world.push(everywhere("2"));
    world.run(hour);
    expect(world.release("staging").spec.source.ref.stage).toBe("staging");
    expect(promoted(world, "prod")).toEqual([first, next]);
  });
});
