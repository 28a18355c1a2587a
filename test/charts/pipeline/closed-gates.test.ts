import { describe, expect, test } from "vitest";
import { DeliveryWorld } from "./delivery-world.ts";
import { aShop, everywhere, hour, minute, promoted } from "./stages.ts";

describe("windows and freezes", () => {
  const nightly = { enter: { windows: [{ allow: { cron: "0 0 * * *", duration: "30m" } }] } };

  test("check 28: when a window closes while prod converges, the Promotion continues; the next one waits and reports until when", () => {
    const world = aShop({ prod: { ...nightly, pass: { soak: "30m" } } });
    const first = world.push(everywhere("1"));
    world.run(20 * minute);
    const next = world.push(everywhere("2"));
    world.run(hour);
    expect(promoted(world, "prod")).toEqual([first]);
    expect(world.stage("prod")).toMatchObject({ phase: "Waiting", next: { revision: next } });
    expect(world.stage("prod").waiting).toMatchObject([{ gate: "Windows", until: "2026-01-02T00:00:00Z" }]);
    world.run(24 * hour);
    expect(promoted(world, "prod")).toEqual([first, next]);
    expect(world.promotions("prod")[1]?.metadata.creationTimestamp).toBe("2026-01-02T00:00:00Z");
  });

  test("check 29: during a freeze the soak continues, no candidate starts, and a hotfix that bypasses it starts", () => {
    const world = aShop();
    const first = world.push(everywhere("1"));
    world.run(5 * minute);
    world.freeze("holidays", { until: "2026-01-01T02:00:00Z", by: "ann" });
    world.run(30 * minute);
    expect(world.stage("staging").phase).toBe("Passed");
    expect(promoted(world, "prod")).toEqual([]);
    expect(world.stage("prod").waiting).toMatchObject([{ gate: "Freeze", until: "2026-01-01T02:00:00Z" }]);
    const fix = world.push(everywhere("fix"));
    world.run(minute);
    world.request("fix", {
      stage: "prod",
      revision: fix,
      by: "ann",
      reason: "outage",
      bypass: ["Order", "Freeze"],
    });
    world.run(minute);
    expect(promoted(world, "prod")).toEqual([fix]);
    world.run(2 * hour);
    expect(promoted(world, "dev")).toEqual([first, fix]);
  });

  test("check 29: a freeze stops a rollout between batches", () => {
    const names = ["a", "b", "c"];
    const world = new DeliveryWorld({
      stages: [{ name: "prod", batch: 1, releases: names.map((name) => ({ name })), pass: { soak: "5m" } }],
      throughCharts: true,
    });
    const commit = world.push({ a: "1", b: "1", c: "1" });
    const pinned = () => names.filter((name) => world.release(name).spec.revision === commit);
    world.run(minute);
    world.freeze("now");
    world.run(24 * hour);
    expect(pinned()).toEqual(["a"]);
    world.remove("Freeze", "now");
    world.run(hour);
    expect(pinned()).toEqual(names);
    expect(world.stage("prod").phase).toBe("Passed");
  });

  test("an automatic rollback applies to all Releases at once, for any batch", () => {
    const names = ["a", "b", "c"];
    const releases = names.map((name) => ({ name }));
    const stage = { name: "prod", batch: 1, releases, pass: { soak: "5m" }, onFailure: "RollBack" };
    const world = new DeliveryWorld({ stages: [stage], throughCharts: true });
    const all = (text: string) => ({ a: text, b: text, c: text });
    const first = world.push(all("1"));
    world.run(hour);
    world.push(all("2"));
    world.run(6 * minute);
    world.setHealth("a", "Progressing");
    world.setHealth("b", "Failed");
    world.run(5_000);
    expect(world.promotions("prod").at(-1)?.spec).toMatchObject({ rollback: true, revision: first });
    expect(names.map((name) => world.release(name).spec.revision)).toEqual([first, first, first]);
  });

  test.for([
    { allow: { cron: "soon", duration: "1h" } },
    { allow: { cron: "* * * * *", duration: "1h", timeZone: "Europe/Nowhere" } },
  ])("check 30: a window that cannot be evaluated is closed, and reported: %j", (window) => {
    const world = aShop({ prod: { enter: { windows: [window] } } });
    world.run(minute);
    expect(world.stage("prod").problems).toEqual([expect.stringMatching(/^a window is closed: ./)]);
    world.push(everywhere("1"));
    world.run(48 * hour);
    expect(promoted(world, "prod")).toEqual([]);
    expect(world.stage("prod").waiting).toMatchObject([
      { gate: "Windows", message: expect.stringContaining("the windows are closed") },
    ]);
  });
});
