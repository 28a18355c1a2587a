import { describe, expect, test } from "vitest";
import { DeliveryWorld } from "./delivery-world.ts";
import { aShop, everywhere, hour, minute, promoted, second, silence } from "./stages.ts";

const late =
  '000000000000 was not planned within 30s of 2026-01-01T00:01:00Z by Release "shop/prod"; until it is, no newer commit is planned: see the conditions of the Release, and whether an operator reconciles it; if it is suspended, the other Releases continue';
const problemsOf = (world: DeliveryWorld) => world.stage("prod").problems;
const verdictOf = (world: DeliveryWorld) =>
  (world.pipeline.status as unknown as { readonly verdict: object }).verdict;

describe("describeLatePlans()", () => {
  test("names a Release that has not planned a commit for 30 seconds, the commit, and what to do", () => {
    const world = aShop();
    silence(world, "prod");
    world.push(everywhere("1"));
    world.run(29 * second);
    expect(problemsOf(world)).toBeUndefined();
    world.run(2 * second);
    expect(problemsOf(world)).toEqual([late]);
    expect(verdictOf(world)).toEqual({ status: "Failed", message: `prod: ${late}` });
  });

  test("is over with the answer, and the stages start", () => {
    const world = aShop();
    const answer = silence(world, "prod");
    const first = world.push(everywhere("1"));
    world.run(minute);
    expect(promoted(world, "dev")).toEqual([]);
    answer();
    world.run(2 * second);
    expect(problemsOf(world)).toBeUndefined();
    expect(promoted(world, "dev")).toEqual([first]);
  });

  test("costs one status, and no reconcile while nothing changes", () => {
    const world = aShop();
    silence(world, "prod");
    world.push(everywhere("1"));
    world.run(10 * second);
    const { length } = world.writes;
    world.run(hour);
    expect(world.writes.slice(length)).toEqual([expect.stringContaining("status Pipeline/shop")]);
    expect(world.nextWakeMs).toBe(Number.POSITIVE_INFINITY);
  });

  test("says nothing of a Release that has planned it, or is suspended, and goes on", () => {
    const world = aShop();
    const answer = silence(world, "prod");
    const first = world.push(everywhere("1"));
    world.run(minute);
    expect(promoted(world, "dev")).toEqual([]);
    world.editRelease("prod", { suspend: true });
    world.run(minute);
    expect(promoted(world, "dev")).toEqual([first]);
    expect(problemsOf(world)).toEqual(['Release "shop/prod" is suspended']);
    world.editRelease("prod", { suspend: false });
    answer();
    world.run(minute);
    expect(problemsOf(world)).toBeUndefined();
  });

  test("costs one status for five Releases that plan one after another, the first five that are missing", () => {
    const names = Array.from({ length: 12 }, (_, at) => `web-${String(at).padStart(2, "0")}`);
    const stages = [{ name: "dev", releases: names.map((name) => ({ name })) }];
    const world = new DeliveryWorld({ stages, throughCharts: true });
    world.run(minute);
    const schedule = world.scheduleRelease.bind(world);
    world.scheduleRelease = () => {};
    world.push(Object.fromEntries(names.map((name) => [name, "1"])));
    const { length } = world.writes;
    world.run(31 * second);
    const [told = ""] = world.stage("dev").problems ?? [];
    expect(told).toContain('"shop/web-04" and 7 more Releases; until it is');
    expect(told).not.toContain("web-05");
    for (const [at, name] of names.entries()) world.at(at * 5 * second, () => schedule(name));
    world.run(50 * second);
    expect(world.stage("dev").problems).toEqual([expect.stringContaining('by Release "shop/web-10"')]);
    world.run(minute);
    expect(world.stage("dev").problems).toBeUndefined();
    const isPlan = (write: string) => write.includes("status Pipeline/shop");
    // The commit, three texts, and the candidate.
    expect(world.writes.slice(length).filter(isPlan)).toHaveLength(5);
  });
});
