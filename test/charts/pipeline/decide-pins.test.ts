import { expect, test } from "vitest";
import { Killed } from "./simulated-operator.ts";
import { aShop, everywhere, hour, minute, promoted } from "./stages.ts";

test("no Release is pinned for a request that another one replaces in the same run", () => {
  const world = aShop();
  const [first, second] = ["1", "2"].map((text) => {
    const commit = world.push(everywhere(text));
    world.run(hour);
    return commit;
  });
  if (first === undefined || second === undefined) throw new Error("There are two commits");
  const request = { stage: "prod", hold: true, by: "ann", reason: "errors" };
  const pinToFirst = `apply Release/prod ${first.slice(-4)} `;
  const writes: string[] = [];
  // The operator is killed before it sets the pin of the first request. The second one is there when it starts again.
  world.onWrite = (what) => {
    if (!what.startsWith(pinToFirst)) return;
    world.onWrite = (later) => void writes.push(later);
    world.request("forth", { ...request, revision: second });
    throw new Killed();
  };
  world.request("back", { ...request, revision: first });
  world.run(minute);
  expect(promoted(world, "prod")).toEqual([first, second, first, second]);
  // The new Promotion could pass with the existing pin just before this write, and prod would not run it then.
  expect(writes.filter((what) => what.startsWith(pinToFirst))).toEqual([]);
  expect(world.release("prod").spec.revision).toBe(second);
});
