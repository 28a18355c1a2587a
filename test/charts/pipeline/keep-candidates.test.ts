import { describe, expect, test } from "vitest";
import { aShop, everywhere, hour, minute, promoted, second } from "./stages.ts";

describe("keepCandidates()", () => {
  test("keeps the newest candidate, also while no stage can start it", () => {
    const world = aShop({ dev: { pass: { soak: "10m" } } });
    const first = world.push(everywhere("1"));
    world.run(minute);
    // The commit changes staging and prod. Dev has not passed its content for dev yet.
    const second = world.push({ staging: "2", prod: "2" });
    world.run(minute);
    const numbers = world.pipeline.status?.candidates?.map(({ number, revision }) => [number, revision]);
    expect(numbers).toEqual([
      [1, first],
      [2, second],
    ]);
    // The next commit changes nothing, so the one before it continues.
    world.push({});
    world.run(hour);
    expect(promoted(world, "staging").at(-1)).toBe(second);
  });

  test("keeps 10 that are approved and 10 others for a stage, although each commit is approved or rejected by one user", () => {
    const world = aShop({ staging: { pass: {} }, prod: { enter: { approvals: { count: 2 } } } });
    for (let number = 1; number <= 40; number++) {
      const decision = number <= 15 ? "Approve" : "Reject";
      const commit = world.push(everywhere(`${number}`));
      world.run(10 * second);
      const { digest, revision } = world.stage("prod").next ?? {};
      if (number <= 15) expect(revision).toBe(commit);
      world.approve(`user-${number}`, { stage: "prod", digest, decision });
    }
    world.push(everywhere("41"));
    world.run(minute);
    const numbers = world.pipeline.status?.candidates?.map(({ number }) => number) ?? [];
    expect(numbers.slice(0, 10)).toEqual([6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
    // One more: the candidate that dev would have started before the last one arrived.
    expect(numbers).toHaveLength(21);
  });
});
