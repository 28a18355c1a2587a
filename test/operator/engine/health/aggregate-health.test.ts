import { describe, expect, test } from "vitest";
import { aggregateHealth, type ChildHealth } from "../../../../operator/engine/health/aggregate-health.ts";
import type { HealthStatus } from "../../../../operator/engine/health/health.ts";

const aChild = (name: string, status: HealthStatus, message = "", recheckAfterMs?: number): ChildHealth => ({
  child: { kind: "Pod", metadata: { name, namespace: "shop" } },
  health: {
    status,
    reason: `${status}Reason`,
    message,
    ...(recheckAfterMs !== undefined && { recheckAfterMs }),
  },
});

describe("aggregateHealth()", () => {
  test.for([
    {
      does: "is Current without children",
      children: [],
      is: { status: "Current", message: "there are no objects" },
    },
    {
      does: "is Current when all are, with their messages",
      children: [aChild("b", "Current"), aChild("a", "Current", "ready")],
      is: { status: "Current", message: "Pod shop/a: ready" },
    },
    {
      does: "counts children without a message",
      children: [aChild("b", "Current"), aChild("a", "Current")],
      is: { status: "Current", message: "2 objects in place" },
    },
    {
      does: "is that of the worst child, with only its message",
      children: [
        aChild("a", "Current"),
        aChild("b", "Failed", "broken"),
        aChild("c", "InProgress", "starting"),
      ],
      is: { status: "Failed", reason: "FailedReason", message: "Pod shop/b: broken" },
    },
    {
      does: "treats a missing child as worse than one that starts",
      children: [aChild("a", "InProgress"), aChild("b", "NotFound", "does not exist")],
      is: { status: "NotFound" },
    },
    {
      does: "is in progress rather than Suspended",
      children: [aChild("a", "Suspended"), aChild("b", "InProgress")],
      is: { status: "InProgress" },
    },
    {
      does: "names three children and counts the others",
      children: ["e", "d", "c", "b", "a"].map((name) => aChild(name, "Failed", "broken")),
      is: { message: "Pod shop/a: broken, Pod shop/b: broken, Pod shop/c: broken and 2 more" },
    },
    {
      does: "checks again at the earliest time that one of its children requests",
      children: [
        aChild("a", "Failed"),
        aChild("b", "InProgress", "", 500),
        aChild("c", "InProgress", "", 200),
      ],
      is: { recheckAfterMs: 200 },
    },
  ])("$does", ({ children, is }) => {
    expect(aggregateHealth(children)).toMatchObject(is);
  });

  test("reports why the worst child is not ready", () => {
    const waiting = aChild("b", "InProgress", "0 of 1; no node can run it");
    const heldUp = { ...waiting, health: { ...waiting.health, cause: "no node can run it" } };
    expect(aggregateHealth([aChild("a", "InProgress"), heldUp])).toMatchObject({
      cause: "no node can run it",
    });
    expect(aggregateHealth([aChild("a", "Failed", "broken"), heldUp])).not.toHaveProperty("cause");
  });

  test("reports the same in every order of the children", () => {
    const children = ["a", "b", "c", "d"].map((name) => aChild(name, "Failed", `broken ${name}`));
    expect(aggregateHealth(children.toReversed())).toEqual(aggregateHealth(children));
  });
});
