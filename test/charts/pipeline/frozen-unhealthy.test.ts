import { describe, expect, test } from "vitest";
import { DeliveryWorld } from "./delivery-world.ts";
import { hour, minute, promoted } from "./stages.ts";

/** A rollout in batches of one that a Freeze has stopped after the first batch, hours after its deployment. The timeout is 70 minutes. */
function aFrozenRollout() {
  const releases = ["a", "b", "c"].map((name) => ({ name }));
  const world = new DeliveryWorld({
    stages: [{ name: "prod", batch: 1, releases, pass: { soak: "10m" } }],
    throughCharts: true,
  });
  const commit = world.push({ a: "1", b: "1", c: "1" });
  world.run(minute);
  world.freeze("holidays");
  world.run(5 * hour);
  const status = () => world.promotions().at(-1)?.status;
  expect(status()?.phase ?? "Proving").toBe("Proving");
  return { world, commit, status, illAt: "2026-01-01T05:01:01Z" };
}

describe("an unhealthy Release while a Freeze stops a rollout after its timeout", () => {
  test("does not fail the Promotion if it is short, and is not counted again after the Freeze", () => {
    const { world, status, illAt } = aFrozenRollout();
    world.setHealth("a", "Progressing");
    world.run(5 * minute);
    expect(status()).toMatchObject({ phase: "Proving", lateSince: illAt });
    world.setHealth("a", "Healthy");
    world.run(5 * hour);
    expect(status()).toMatchObject({ phase: "Proving" });
    world.remove("Freeze", "holidays");
    world.run(hour);
    expect(status()).toMatchObject({ phase: "Passed" });
    expect(promoted(world, "prod")).toHaveLength(1);
  });

  test.for(["runs", "restarts", "does not run"])(
    "fails the Promotion when it lasts for the timeout, also if the operator %s then",
    (what) => {
      const { world, status } = aFrozenRollout();
      world.setHealth("a", "Progressing");
      world.run(30 * minute);
      expect(status()).toMatchObject({ phase: "Proving" });
      if (what === "restarts") world.restart();
      if (what === "does not run") world.nowMs += 2 * hour;
      world.run(39 * minute);
      if (what !== "does not run") expect(status()).toMatchObject({ phase: "Proving" });
      world.run(2 * minute);
      expect(status()).toMatchObject({
        phase: "Failed",
        reason: "TimedOut",
        failedAt: "2026-01-01T06:11:01Z",
      });
    },
  );

  test("counts from its start when the Freeze ends in between, and the health is only short", () => {
    const { world, status } = aFrozenRollout();
    world.setHealth("a", "Progressing");
    world.run(30 * minute);
    world.remove("Freeze", "holidays");
    world.run(30 * minute);
    world.setHealth("a", "Healthy");
    world.run(5 * minute);
    world.restart();
    world.setHealth("a", "Progressing");
    world.run(4 * minute);
    expect(status()).toMatchObject({ phase: "Proving" });
    world.run(2 * minute);
    expect(status()).toMatchObject({ phase: "Failed", failedAt: "2026-01-01T06:11:01Z" });
  });

  test("has the whole timeout again when it becomes unhealthy again after that time", () => {
    const { world, status } = aFrozenRollout();
    for (let times = 0; times < 2; times++) {
      world.setHealth("a", "Progressing");
      world.run(5 * minute);
      world.setHealth("a", "Healthy");
      world.run(2 * hour);
      expect(status()).toMatchObject({ phase: "Proving" });
    }
    expect(status()).toMatchObject({ lateSince: "2026-01-01T07:06:01Z" });
  });
});
