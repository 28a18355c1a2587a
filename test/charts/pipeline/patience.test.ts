import { describe, expect, test } from "vitest";
import { DeliveryWorld } from "./delivery-world.ts";
import { hour, minute, second } from "./stages.ts";

const many = Array.from({ length: 10 }, (_, index) => `r${index}`);
const all = (text: string) => Object.fromEntries(many.map((name) => [name, text]));

/** A world with one stage that soaks for 10 minutes: what it has not proven 70 minutes after its deployment has failed. */
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
