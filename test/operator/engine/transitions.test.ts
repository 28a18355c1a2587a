import { describe, expect, test } from "vitest";
import type { Condition } from "../../../crds/conditions.ts";
import { announceTransitions } from "../../../operator/engine/transitions.ts";

/** `Applied=True Applied`, with a message; or without both. */
function conditions(...texts: readonly string[]): readonly Condition[] {
  return texts.map((text) => {
    const [, type = "", status = "", reason = "", message = ""] =
      /^(\w+)=(\w+)(?: (\w+)(?: (.*))?)?$/.exec(text) ?? [];
    return { type, status, reason, message, lastTransitionTime: "2026-01-01T00:00:00Z" } as Condition;
  });
}

describe("announceTransitions()", () => {
  test("warns once when progress is blocked, also when its message changes", () => {
    const cause = "no node can run it";
    const started = conditions("Healthy=False Progressing 0 of 2");
    const heldUp = conditions(`Healthy=False Progressing 0 of 2; ${cause}`);
    const [told, ...others] = announceTransitions(started, heldUp, { cause });
    expect(told).toEqual({
      type: "Warning",
      reason: "Progressing",
      action: "Check",
      note: `0 of 2; ${cause}`,
    });
    expect(others).toEqual([]);
    const onwards = conditions(`Healthy=False Progressing 1 of 2; ${cause}`);
    expect(announceTransitions(heldUp, onwards, { cause })).toEqual([]);
    expect(announceTransitions(heldUp, conditions("Healthy=True Healthy"))).toEqual([]);
  });

  test.for([
    {
      does: "reports nothing for a resource that was healthy from the start",
      before: [],
      after: ["Applied=True Applied", "Healthy=True Healthy", "Published=True Published"],
      says: [],
    },
    {
      does: "reports nothing for progress",
      before: ["Healthy=True Healthy"],
      after: ["Healthy=False Progressing", "Published=False Pending"],
      says: [],
    },
    {
      does: "reports nothing for an unknown status",
      before: ["Healthy=True Healthy"],
      after: ["Healthy=Unknown Unknown"],
      says: [],
    },
    {
      does: "warns when a resource is not healthy from the start",
      before: [],
      after: ["Applied=False SpecInvalid spec.size: expected a number"],
      says: ["Warning SpecInvalid Apply spec.size: expected a number"],
    },
    {
      does: "warns when a condition becomes false, with its step",
      before: ["Applied=True Applied", "Healthy=True Healthy", "Published=True Published"],
      after: [
        "Applied=False ApplyRejected no",
        "Healthy=False Failed broken",
        "Published=False PushRefused hook",
      ],
      says: [
        "Warning ApplyRejected Apply no",
        "Warning Failed Check broken",
        "Warning PushRefused Publish hook",
      ],
    },
    {
      does: "warns once for one reason, also when its message changes",
      before: ["Healthy=False Failed restarted 3 times"],
      after: ["Healthy=False Failed restarted 4 times"],
      says: [],
    },
    {
      does: "warns again when the cause changed",
      before: ["Applied=False ApplyRejected no"],
      after: ["Applied=False NotOwned it belongs to a team"],
      says: ["Warning NotOwned Apply it belongs to a team"],
    },
    {
      does: "warns when progress ends in a failure",
      before: ["Healthy=False Progressing"],
      after: ["Healthy=False Failed broken"],
      says: ["Warning Failed Check broken"],
    },
    {
      does: "reports the recovery",
      before: ["Applied=False NotOwned"],
      after: ["Applied=True Applied all 3 objects"],
      says: ["Normal Applied Apply all 3 objects"],
    },
    {
      does: "reports nothing when progress ends in success",
      before: ["Healthy=False Progressing"],
      after: ["Healthy=True Healthy"],
      says: [],
    },
    {
      does: "reports nothing for a removed condition, such as Published without a repository",
      before: ["Published=False PushRefused"],
      after: [],
      says: [],
    },
    {
      does: "reports nothing for Ready, Reconciling and Stalled, which summarize other conditions",
      before: [],
      after: ["Ready=False ApplyRejected", "Stalled=True ApplyRejected", "Reconciling=True Progressing"],
      says: [],
    },
  ])("$does", ({ before, after, says }) => {
    const said = announceTransitions(conditions(...before), conditions(...after));
    expect(
      said.map(({ type, reason, action, note }) => `${type} ${reason} ${action} ${note}`.trim()),
    ).toEqual(says);
  });
});

test("a recovery names the reason of the failure that has ended", () => {
  const before = conditions("Sourced=False SourceNotFound", "Applied=False NotOwned");
  const after = conditions("Sourced=True Sourced", "Applied=False ApplyRejected");
  expect(announceTransitions(before, after)).toEqual([
    { type: "Normal", reason: "Sourced", action: "Source", note: "", ended: "SourceNotFound" },
    { type: "Warning", reason: "ApplyRejected", action: "Apply", note: "" },
  ]);
});

describe("a condition of a kind that causes a warning", () => {
  test.for([
    {
      when: "becomes true",
      before: [],
      after: ["Expiring=True Soon at noon"],
      says: ["Warning Soon Check at noon"],
    },
    {
      when: "was not true before",
      before: ["Expiring=False Late"],
      after: ["Expiring=True Soon at noon"],
      says: ["Warning Soon Check at noon"],
    },
    { when: "stays true", before: ["Expiring=True Soon"], after: ["Expiring=True Now at one"], says: [] },
    {
      when: "becomes true without a reason",
      before: [],
      after: ["Expiring=True"],
      says: ["Warning Expiring Check "],
    },
    { when: "is no longer true", before: ["Expiring=True Soon"], after: [], says: [] },
    { when: "has another reason", before: [], after: ["Idle=True Unused"], says: [] },
  ])("is reported when it $when: $says", ({ before, after, says }) => {
    const said = announceTransitions(conditions(...before), conditions(...after), { warnOn: ["Expiring"] });
    expect(said.map(({ type, reason, action, note }) => `${type} ${reason} ${action} ${note}`)).toEqual(says);
  });
});
