import { describe, expect, test } from "vitest";
import { aShop, everywhere, gatesOf, hour, job, minute, promoted, second, waitingOf } from "./stages.ts";

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
    const digest = world.stage("prod").next?.digest;
    const passed = world.promotions("prod")[0]?.spec.digest;
    expect(waitingOf(world, "prod")).toBe(
      `${first.slice(0, 12)} has not passed stage "staging"; it passed this stage with digest ${passed}, and has ` +
        `digest ${digest} now: the inputs or the operator have changed. To deploy it as it renders now: ` +
        `fairlead promote shop/shop prod ${first} --hold --bypass Order --reason TEXT`,
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

  test("names the command for a rollback to the digest that passed, with the gates that it skips already", () => {
    const { world, first, fourth } = anUpgradedShop();
    const digest = world.promotions("prod")[0]?.spec.digest;
    world.request("back", { ...toProd, bypass: ["Windows"], revision: first, digest });
    world.run(3 * hour);
    expect(promoted(world, "prod").at(-1)).toBe(fourth);
    expect(waitingOf(world, "prod")).toMatch(
      new RegExp(
        `renders now: fairlead promote shop/shop prod ${first} --hold --bypass Windows Order --reason TEXT$`,
      ),
    );
    world.request("again", { ...toProd, bypass: ["Windows", "Order"], revision: first });
    world.run(minute);
    expect(world.release("prod").status?.deployed?.revision).toBe(first);
  });

  test("names the differences from earlier stages too, if they are closed", () => {
    const world = aShop({ prod: { differences: [] } });
    const odd = world.push({ ...everywhere("1"), prod: "other" });
    world.request("odd", { ...toProd, bypass: ["Order", "Differences"], revision: odd });
    world.run(hour);
    const digest = world.promotions("prod").at(-1)?.spec.digest;
    world.remove("Promotion", "odd");
    for (const text of ["2", "3"]) {
      world.push(everywhere(text));
      world.run(hour);
    }
    world.upgrade("2");
    world.run(hour);
    world.request("back", { ...toProd, revision: odd });
    world.run(minute);
    expect(gatesOf(world, "prod")).toEqual(["Order", "Differences"]);
    expect(waitingOf(world, "prod")).toMatch(/ --hold --bypass Order Differences --reason TEXT/);
    world.request("exact", { ...toProd, revision: odd, digest });
    world.run(minute);
    expect(gatesOf(world, "prod")).toEqual(["Plan"]);
    expect(waitingOf(world, "prod")).toMatch(/ --hold --bypass Order Differences --reason TEXT$/);
  });

  test("names no bypass for a digest that has passed the stage, although the earlier stages render differently", () => {
    const { world, first } = aUsedShop();
    world.changeInputs("staging", "other values");
    world.run(hour);
    world.request("back", { ...toProd, revision: first, digest: "0".repeat(32) });
    world.run(minute);
    expect(waitingOf(world, "prod")).toMatch(/prod [0-9a-f]{40} --hold --reason TEXT$/);
  });

  test("needs no bypass if only the inputs of its own stage have changed", () => {
    const { world, first } = aUsedShop();
    world.changeInputs("prod", "other values");
    world.run(hour);
    world.request("back", { ...toProd, revision: first });
    world.run(minute);
    expect(world.promotions("prod").at(-1)).toMatchObject({
      spec: { revision: first },
      status: { phase: "Passed" },
    });
  });

  test("is added for its own stage only", () => {
    const { world, first, second: other, third, fourth } = aUsedShop();
    world.jobOutcome = () => "Failed";
    world.editStages([
      ...world.pipeline.spec.stages.slice(0, 2),
      { ...world.pipeline.spec.stages[2], pass: { verify: [job()] } },
    ]);
    const bad = world.push(everywhere("5"));
    world.run(hour);
    world.jobOutcome = () => "Complete";
    world.request("back", { ...withoutOrder, revision: first });
    world.run(10 * minute);
    world.request("dev-back", { ...withoutOrder, stage: "dev", revision: other });
    world.freeze("holidays", { stages: ["dev"] });
    world.run(10 * minute);
    expect(candidatesOf(world)).toContain(other);
    world.remove("Promotion", "back");
    world.run(hour);
    expect(promoted(world, "prod")).toEqual([first, other, third, fourth, bad, first]);
    expect(waitingOf(world, "prod")).toContain("has failed");
  });

  test("falls back on the digests that passed if the plans take longer than a minute", () => {
    const { world, first } = aUsedShop();
    world.releaseMs = 90 * second;
    world.request("back", { ...toProd, revision: first });
    world.run(50 * second);
    expect(waitingOf(world, "prod")).toContain('which is not planned again yet by Release "shop/prod"');
    world.run(11 * second);
    expect(promoted(world, "prod").at(-1)).toBe(first);
    world.run(5 * minute);
    expect(world.stage("prod")).toMatchObject({ phase: "Held", running: { revision: first } });
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
