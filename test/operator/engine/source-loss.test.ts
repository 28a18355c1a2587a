import { describe, expect, test } from "vitest";
import { assessLoss, sourceGraceMs } from "../../../operator/engine/source-loss.ts";

const nowMs = Date.parse("2026-11-22T12:00:00Z");
const minute = 60_000;
const condition = (type: string, status: "True" | "False", minutesAgo: number, observedGeneration = 1) => ({
  ...{ type, status, reason: "x", message: "", observedGeneration },
  lastTransitionTime: new Date(nowMs - minutesAgo * minute).toISOString(),
});
const sourced = (status: "True" | "False", minutesAgo: number) => condition("Sourced", status, minutesAgo);
const ready = condition("Ready", "True", 60);

const assess = (more: Partial<Parameters<typeof assessLoss>[0]>, reason = "SourceUnreachable") =>
  assessLoss({ failure: { reason }, isUnusable: false, previous: [ready], generation: 1, nowMs, ...more });

describe("assessLoss()", () => {
  test.for([
    { case: "an outage that begins", previous: [sourced("True", 60)], leftMs: sourceGraceMs },
    { case: "an outage before the first status", previous: [], leftMs: sourceGraceMs },
    { case: "an outage of two minutes", previous: [sourced("False", 2)], leftMs: 3 * minute },
    { case: "an outage of an hour", previous: [sourced("False", 60)], leftMs: 0 },
    { case: "a clock that was set back", previous: [sourced("False", -60)], leftMs: sourceGraceMs },
  ])("has a grace period of $leftMs for $case", ({ previous, leftMs }) => {
    expect(assess({ previous })).toEqual({ isLost: leftMs === 0, graceLeftMs: leftMs });
  });

  test.for([...["SourceRefused", "SourceNotFound", "SourceInvalid", "SourceNotVerified", "RenderFailed"]])(
    "has no grace period for %s",
    (reason) => {
      expect(assess({}, reason)).toEqual({ isLost: true, graceLeftMs: 0 });
    },
  );

  test.for([
    { case: "a ready resource stays ready", previous: [ready], isLost: false },
    { case: "a new resource is not ready", previous: [], isLost: true },
    { case: "an edited resource is not ready", previous: [ready], generation: 2, isLost: true },
    {
      case: "a resource that was not ready is not ready",
      previous: [condition("Ready", "False", 60)],
      isLost: true,
    },
    {
      case: "a new resource can become ready with a known commit",
      isUnusable: false,
      previous: [],
      isLost: false,
    },
  ])("$case during an outage", ({ isUnusable = true, previous, generation = 1, isLost }) => {
    expect(assess({ isUnusable, previous, generation })).toEqual({ isLost, graceLeftMs: sourceGraceMs });
  });

  test.for([
    { case: "stays ready through every failure", isUnusable: true, previous: [ready], isLost: false },
    { case: "is not ready if it was not ready before", isUnusable: true, previous: [], isLost: true },
    { case: "stays ready with a known commit", isUnusable: false, previous: [], isLost: false },
  ])("a resource whose commit is pinned $case", ({ isUnusable, previous, isLost }) => {
    const pinned = { isPinned: true, isUnusable, previous };
    expect(assess(pinned)).toEqual({ isLost, graceLeftMs: 0 });
    expect(assess(pinned, "SourceRefused")).toEqual({ isLost, graceLeftMs: 0 });
  });
});
