import { describe, expect, test } from "vitest";
import { aShop, everywhere, minute, promoted } from "./stages.ts";

describe("planCandidates()", () => {
  test("finishes the plan of a commit before it begins that of the newest one", () => {
    const world = aShop();
    const [first, second, third] = ["1", "2", "3"].map((text) => {
      const commit = world.push(everywhere(text));
      // The Pipeline has seen it, and no Release has planned anything.
      world.run(0);
      return commit;
    });
    const { head, planning } = world.pipeline.status ?? {};
    expect([planning?.revision, head?.revision]).toEqual([first, third]);
    for (const name of ["dev", "staging", "prod"])
      expect(world.release(name).spec.next).toEqual({ revision: first });
    world.run(minute);
    expect(promoted(world, "dev")).toEqual([first, third]);
    expect(promoted(world, "dev")).not.toContain(second);
  });
});
