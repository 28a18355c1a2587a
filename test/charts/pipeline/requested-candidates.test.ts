import { describe, expect, test } from "vitest";
import { aShop, everywhere, gatesOf, hour, minute, promoted, second, waitingOf } from "./stages.ts";

/** A world whose stages ran four commits. */
function aUsedShop() {
  const world = aShop();
  const commits = ["1", "2", "3", "4"].map((text) => {
    const commit = world.push(everywhere(text));
    world.run(hour);
    return commit;
  });
  const [first = "", second = "", third = "", fourth = ""] = commits;
  return { world, first, second, third, fourth };
}

/** The same after an upgrade of the operator, which renders each of the commits differently. */
function anUpgradedShop() {
  const shop = aUsedShop();
  shop.world.upgrade("2");
  shop.world.run(hour);
  return shop;
}

const toProd = { stage: "prod", hold: true, by: "ann", reason: "errors" };
const withoutOrder = { ...toProd, bypass: ["Order"] };
const candidatesOf = (world: ReturnType<typeof aShop>) =>
  (world.pipeline.status?.candidates ?? []).map(({ revision }) => revision);

describe("a request for a commit that is no longer a candidate, after an upgrade of the operator", () => {
  test("deploys the commit as it renders now", () => {
    const { world, first } = anUpgradedShop();
    expect(candidatesOf(world)).not.toContain(first);
    const before = world.promotions("prod")[0]?.spec.digest;
    world.request("back", { ...withoutOrder, revision: first });
    world.run(minute);
    expect(world.release("prod").status?.deployed?.revision).toBe(first);
    const last = world.promotions("prod").at(-1);
    expect(last).toMatchObject({ spec: { revision: first, candidate: 1 }, status: { phase: "Passed" } });
    expect(last?.spec.digest).not.toBe(before);
    world.run(3 * hour);
    expect(world.stage("prod").phase).toBe("Held");
  });

  test("waits for the earlier stages, which have not passed what it renders now", () => {
    const { world, first, fourth } = anUpgradedShop();
    world.request("back", { ...toProd, revision: first });
    world.run(3 * hour);
    expect(gatesOf(world, "prod")).toEqual(["Order"]);
    expect(waitingOf(world, "prod")).toMatch(
      /has not passed stage "staging" as it renders now; bypass: \[Order\] skips this$/,
    );
    expect(world.release("prod").spec.revision).toBe(fourth);
  });

  test("says that a requested digest does not exist any more", () => {
    const { world, first, fourth } = anUpgradedShop();
    const digest = world.promotions("prod")[0]?.spec.digest;
    world.request("back", { ...withoutOrder, revision: first, digest });
    world.run(3 * hour);
    expect(waitingOf(world, "prod")).toContain(`requests digest ${digest}`);
    expect(promoted(world, "prod").at(-1)).toBe(fourth);
  });

  test("keeps one candidate more for a stage, until the request is deleted or another one replaces it", () => {
    const { world, first, second: other, fourth } = anUpgradedShop();
    world.request("back", { ...toProd, revision: first });
    world.run(minute);
    expect(candidatesOf(world)).toEqual([first, fourth]);
    world.request("other", { ...toProd, revision: other });
    world.run(minute);
    expect(candidatesOf(world)).toEqual([other, fourth]);
    world.remove("Promotion", "back");
    world.remove("Promotion", "other");
    world.run(minute);
    expect(candidatesOf(world)).toEqual([fourth]);
  });

  test("plans the last commit before again, which is removed only with the next one", () => {
    const { world, third } = anUpgradedShop();
    expect(candidatesOf(world)).toContain(third);
    world.request("back", { ...withoutOrder, revision: third });
    world.run(minute);
    expect(world.release("prod").status?.deployed?.revision).toBe(third);
    expect(world.promotions("prod").at(-1)).toMatchObject({ status: { phase: "Passed" } });
  });

  test("does not wait for a plan that a Release cannot make", () => {
    const { world, first } = anUpgradedShop();
    world.editRelease("prod", { suspend: true });
    world.request("back", { ...toProd, revision: first });
    world.run(10 * second);
    expect(gatesOf(world, "prod")).toEqual(["Releases"]);
    expect(world.stage("prod").next?.revision).toBe(first);
  });
});
