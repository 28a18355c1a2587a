import { describe, expect, test } from "vitest";
import { pipeline } from "../../../charts/bindings-delivery.ts";
import { keepCandidates } from "../../../charts/pipeline/keep-candidates.ts";
import { readWorld } from "../../../charts/pipeline/world.ts";
import type { DeliveryWorld } from "./delivery-world.ts";
import { aShop, everywhere, gatesOf, hour, minute, promoted, threeStages } from "./stages.ts";

/** Renames prod to live. */
function rename(world: DeliveryWorld, more: object = {}): void {
  const [dev, staging, prod] = threeStages({ prod: more }) as [object, object, object];
  world.editRelease("prod", { source: { ref: { pipeline: "shop", stage: "live" } } });
  world.editStages([dev, staging, { ...prod, name: "live", formerly: ["prod"] }]);
}

describe("a renamed stage", () => {
  test("stays frozen by a Freeze with its earlier name", () => {
    const world = aShop();
    world.freeze("sale", { stages: ["prod"] });
    const commit = world.push(everywhere("1"));
    world.run(hour);
    rename(world);
    world.run(hour);
    expect(promoted(world, "live")).toEqual([]);
    expect(gatesOf(world, "live")).toEqual(["Freeze"]);
    world.remove("Freeze", "sale");
    world.run(hour);
    expect(promoted(world, "live")).toEqual([commit]);
  });

  test("keeps its last Promotion when its earlier name is declared later", () => {
    const world = aShop();
    for (const text of ["1", "2", "3"]) {
      world.push(everywhere(text));
      world.run(hour);
    }
    const [dev, staging, prod] = threeStages() as [object, object, object];
    world.editRelease("prod", { source: { ref: { pipeline: "shop", stage: "live" } } });
    world.editStages([dev, staging, { ...prod, name: "live" }]);
    const commit = world.push(everywhere("4"));
    world.run(hour);
    expect(promoted(world, "live").at(-1)).toBe(commit);
    world.editStages([dev, staging, { ...prod, name: "live", formerly: ["prod"] }]);
    world.run(hour);
    expect(world.stage("live")).toMatchObject({
      phase: "Passed",
      promotion: { revision: commit },
      running: { revision: commit, proven: true },
    });
    const next = world.push(everywhere("5"));
    world.run(hour);
    expect(world.stage("live").promotion).toMatchObject({ revision: next, number: 4 });
  });

  test("does not start what was rejected under its earlier name", () => {
    const world = aShop({ prod: { enter: { approvals: {} } } });
    const commit = world.push(everywhere("1"));
    world.run(hour);
    const { digest } = world.stage("prod").next ?? {};
    world.approve("ann", { stage: "prod", digest, decision: "Reject" });
    rename(world);
    world.run(hour);
    expect(promoted(world, "live")).toEqual([]);
    world.remove("Approval", "ann");
    world.run(hour);
    expect(promoted(world, "live")).toEqual([commit]);
  });

  test("does not count approvals of its earlier name", () => {
    const more = { enter: { approvals: { count: 2 } } };
    const world = aShop({ prod: more });
    const commit = world.push(everywhere("1"));
    world.run(hour);
    const { digest } = world.stage("prod").next ?? {};
    world.approve("ann", { stage: "prod", digest });
    rename(world, more);
    world.approve("bob", { stage: "live", digest });
    world.run(hour);
    expect(promoted(world, "live")).toEqual([]);
    world.approve("cleo", { stage: "live", digest });
    world.run(hour);
    expect(promoted(world, "live")).toEqual([commit]);
  });

  test("keeps the candidate before one that was rejected under its earlier name, also if the record is too large", () => {
    const more = { enter: { approvals: {} } };
    const world = aShop({ prod: more });
    for (const text of ["1", "2", "3"]) {
      world.push(everywhere(text));
      world.run(hour);
    }
    const { digest } = world.stage("prod").next ?? {};
    world.approve("ann", { stage: "prod", digest, decision: "Reject" });
    rename(world, more);
    world.setHealth("dev", "Progressing");
    world.push(everywhere("4"));
    world.run(minute);
    const resource = world.pipeline;
    const observed = world.objects.observe(resource, pipeline);
    const { status: record } = resource;
    if (record === undefined) throw new Error("the Pipeline has no status");
    const state = readWorld({
      ...{ resource, observed, record, source: undefined },
      clock: { reached: () => true },
    });
    const { needed } = keepCandidates(state, record.candidates ?? []);
    expect([...needed].map(({ number }) => number).toSorted()).toEqual([2, 3, 4]);
  });

  test("does not start a request to its earlier name again when the commit renders differently", () => {
    const world = aShop();
    world.push(everywhere("1"));
    world.run(hour);
    world.setHealth("dev", "Failed");
    world.setHealth("prod", "Progressing");
    const fix = world.push(everywhere("2"));
    world.run(minute);
    world.request("fix", { stage: "prod", revision: fix, by: "ann", reason: "outage", bypass: ["Order"] });
    world.run(minute);
    rename(world);
    world.changeInputs("prod", "other values");
    world.run(20 * minute);
    expect(promoted(world, "live")).toEqual([]);
    for (const name of ["dev", "prod"]) world.setHealth(name, "Healthy");
    const next = world.push(everywhere("3"));
    world.run(3 * hour);
    expect(promoted(world, "live")).toEqual([next]);
  });
});
