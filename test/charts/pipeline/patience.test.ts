import { describe, expect, test } from "vitest";
import { DeliveryWorld } from "./delivery-world.ts";
import { hour, minute, second } from "./stages.ts";

const many = Array.from({ length: 10 }, (_, index) => `r${index}`);
const all = (text: string) => Object.fromEntries(many.map((name) => [name, text]));

/** A world with one stage that soaks for 10 minutes. A commit fails if it is not proven 70 minutes after its deployment. */
function aStage(more: object = {}): DeliveryWorld {
  const releases = many.map((name) => ({ name }));
  const stages = [{ name: "prod", releases, pass: { soak: "10m" }, ...more }];
  return new DeliveryWorld({ stages, throughCharts: true });
}

describe("the patience of a stage", () => {
  test("is not lost for Releases of early batches when they plan another commit", () => {
    const world = aStage({ batch: 1 });
    world.push(all("1"));
    world.run(85 * minute);
    expect(world.promotions()).toMatchObject([{ status: { phase: "Proving" } }]);
    world.push(all("2"));
    world.run(hour);
    expect(world.promotions()).toMatchObject([{ status: { phase: "Passed" } }, {}]);
  });

  test("survives a short unhealthy period late in a rollout, and not one that lasts", () => {
    const world = aStage({ batch: 1 });
    world.push(all("1"));
    world.run(85 * minute);
    world.setHealth("r0", "Progressing");
    world.run(2 * minute);
    world.setHealth("r0", "Healthy");
    world.run(30 * minute);
    expect(world.promotions()).toMatchObject([{ status: { phase: "Passed" } }]);
    world.push(all("2"));
    world.run(85 * minute);
    world.setHealth("r0", "Progressing");
    world.run(70 * minute);
    expect(world.promotions().at(-1)).toMatchObject({
      status: { phase: "Failed", message: expect.stringContaining('Release "shop/r0" is not healthy') },
    });
  });

  test.for([1, 2])(
    "is not lost by an unhealthy period of r%i in a rollout that lasts longer than the timeout",
    (at) => {
      const world = aStage({ batch: 1 });
      world.push(all("1"));
      world.run(98 * minute);
      const name = `r${at}`;
      world.setHealth(name, "Progressing");
      world.run(minute);
      expect(world.promotions()).toMatchObject([{ status: { phase: "Proving" } }]);
      world.setHealth(name, "Healthy");
      world.run(30 * minute);
      expect(world.promotions()).toMatchObject([{ status: { phase: "Passed" } }]);
    },
  );

  test("ends with an unhealthy period that lasts for the timeout after the last batch", () => {
    const world = aStage({ batch: 1 });
    world.push(all("1"));
    world.run(98 * minute);
    world.setHealth("r1", "Progressing");
    world.run(50 * minute);
    expect(world.promotions()).toMatchObject([{ status: { phase: "Proving" } }]);
    world.run(20 * minute);
    expect(world.promotions()).toMatchObject([{ status: { phase: "Failed", reason: "TimedOut" } }]);
  });

  test("ends with a rollback that an upgraded operator renders differently, which then holds no slot", () => {
    const world = aStage({ onFailure: "RollBack", enter: { approvals: {} } });
    const approve = (by: string) => {
      world.approve(by, { stage: "prod", digest: world.stage("prod").next?.digest });
      world.run(15 * minute);
    };
    const push = (text: string): string => {
      const commit = world.push(all(text));
      world.run(15 * minute);
      return commit;
    };
    const first = push("1");
    approve("ann");
    push("2");
    world.onCreate = ({ candidate }) => {
      if (candidate === 2) world.upgrade("2");
    };
    // The commit is never applied. Meanwhile, the first commit is removed from the record.
    approve("bob");
    push("3");
    expect(world.pipeline.status?.candidates?.map(({ revision }) => revision)).not.toContain(first);
    world.run(hour);
    expect(world.promotions().at(-1)).toMatchObject({
      spec: { revision: first, rollback: true },
      status: { phase: "Proving", waiting: expect.stringContaining("has digest") },
    });
    const fix = push("4");
    world.run(hour);
    approve("cleo");
    expect(world.stage("prod")).toMatchObject({ phase: "Passed", running: { revision: fix } });
  });

  test("is not lost for Releases that plan another commit while one waits for its remote", () => {
    const world = aStage();
    world.push(all("1"));
    world.run(1.5 * second);
    world.setRefusal("r1", "SourceUnreachable");
    world.run(2 * hour);
    world.push(all("2"));
    world.run(minute);
    expect(world.promotions()).toMatchObject([
      { status: { phase: "Proving", waiting: expect.stringContaining("SourceUnreachable") } },
    ]);
    world.setRefusal("r1", undefined);
    world.run(12 * minute);
    expect(world.promotions()).toMatchObject([{ status: { phase: "Passed" } }, {}]);
  });
});
