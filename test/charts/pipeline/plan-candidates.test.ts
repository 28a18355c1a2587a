import { describe, expect, test } from "vitest";
import { aShop, everywhere, minute, promoted } from "./stages.ts";

describe("planCandidates()", () => {
  test("finishes the plan of a commit before it starts that of the newest one", () => {
    const world = aShop();
    const [first, second, third] = ["1", "2", "3"].map((text) => {
      const commit = world.push(everywhere(text));
      // The Pipeline has observed the commit, but no Release has planned it.
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

  test("plans newer commits while a stage refuses its pin, and also the new digest of the pin", () => {
    const world = aShop();
    const first = world.push(everywhere("1"));
    world.run(5 * minute);
    // Another version of the operator renders the commit differently while staging proves it.
    expect(world.stage("staging")).toMatchObject({ phase: "Proving", running: { revision: first } });
    const before = planIn(world, first, "staging");
    world.upgrade("next");
    const second = world.push({ dev: "2" });
    world.run(minute);
    expect(promoted(world, "dev")).toContain(second);
    expect(planIn(world, first, "staging")).not.toBe(before);
  });
});

/** The digest of a candidate for the Release of a stage. */
function planIn(world: ReturnType<typeof aShop>, revision: string, stage: string): string | undefined {
  const found = (world.pipeline.status?.candidates ?? []).find((one) => one.revision === revision);
  return found?.releases.find(({ release }) => release === `shop/${stage}`)?.digest;
}
