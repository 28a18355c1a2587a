import { describe, expect, test } from "vitest";
import type { LiveObject } from "../../../crds/object.ts";
import { aShop, everywhere, gatesOf, hour, minute, silence, waitingOf } from "./stages.ts";

/** A world whose prod has planned and run one commit, and is stalled when it is to plan the next one. */
function aStalledShop({
  reason,
  plansError = false,
}: {
  readonly reason: string;
  readonly plansError?: boolean;
}) {
  const world = aShop();
  world.push(everywhere("1"));
  world.run(hour);
  silence(world, "prod");
  const next = world.push(everywhere("2"));
  world.run(minute / 20);
  const { status = {}, metadata, ...rest } = world.release("prod");
  const message = `it is ${reason}`;
  const refused = { status: "False", reason, message, lastTransitionTime: "2026-01-01T01:01:03Z" };
  world.change({
    ...rest,
    metadata,
    status: {
      ...status,
      observedGeneration: metadata.generation,
      ...(plansError && { next: { revision: next, error: message } }),
      conditions: [
        ...(status.conditions ?? []).filter(({ type }) => type === "Healthy"),
        { ...refused, type: "Ready" },
        { ...refused, type: "Applied" },
        { ...refused, type: "Stalled", status: "True" },
      ],
    },
  } as LiveObject);
  world.run(hour);
  return { world, next, problems: world.stage("prod").problems };
}

describe("a Release that is stalled at the second commit that it is to plan", () => {
  test.for(["SpecInvalid", "PolicyRefused"])("reports the error of its plan once: %s", (reason) => {
    const { world, problems } = aStalledShop({ reason, plansError: true });
    expect(problems).toEqual([`Release "shop/prod" is not ready: it is ${reason}`]);
    expect(gatesOf(world, "prod")).toEqual(["Plan"]);
  });

  test("reports once why it is not valid, if it plans nothing", () => {
    const { world, problems } = aStalledShop({ reason: "SpecInvalid" });
    expect(problems).toEqual(['Release "shop/prod" is not ready: it is SpecInvalid']);
    expect(gatesOf(world, "prod")).toEqual(["Plan", "Releases"]);
    expect(waitingOf(world, "prod").match(/it is SpecInvalid/g)).toHaveLength(1);
  });

  test.for(["NotOwned", "ImmutableField"])(
    "reports why it plans nothing, if that is another reason: %s",
    (reason) => {
      const { world, problems } = aStalledShop({ reason });
      const id = "0".repeat(12);
      expect(problems).toEqual([`Release "shop/prod" is stalled and has not planned ${id}: it is ${reason}`]);
      expect(waitingOf(world, "prod")).toBe(
        `${id} is not planned by Release "shop/prod", which is stalled: it is ${reason}`,
      );
      expect(world.stage("dev").phase).toBe("Passed");
    },
  );
});
