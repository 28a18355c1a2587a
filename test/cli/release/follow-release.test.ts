import { describe, expect, test } from "vitest";
import { missingFor, NotReadyError } from "../../../cli/release/follow-release.ts";
import { aRelease, condition } from "./a-release.ts";

const asked = { request: "now", generation: 2 };
const seen = { observedGeneration: 2 };

describe("missingFor()", () => {
  test.for([
    { state: "nothing yet", status: {}, missing: /has not looked at it yet$/ },
    {
      state: "ready for an older spec",
      status: { lastHandledRequest: "now", conditions: [condition("Ready", "True")] },
      missing: /has not looked at it yet$/,
    },
    {
      state: "ready before it was asked",
      status: { lastHandledRequest: "before", conditions: [condition("Ready", "True", seen)] },
      missing: /has not looked at it yet$/,
    },
    {
      state: "a remote that is down",
      status: {
        conditions: [
          condition("Ready", "True", seen),
          condition("Sourced", "False", { ...seen, reason: "SourceUnreachable", message: "no answer" }),
        ],
      },
      missing: /not looked at it yet \(SourceUnreachable: no answer\)$/,
    },
    {
      state: "ready for as long as an outage is short",
      status: {
        lastHandledRequest: "now",
        conditions: [
          condition("Ready", "True", seen),
          condition("Sourced", "False", { ...seen, reason: "SourceUnreachable", message: "no answer" }),
        ],
      },
      missing: /^Waiting for the source of Release shop\/web: SourceUnreachable: no answer$/,
    },
    {
      state: "pinned to what it has deployed, whose remote does not answer",
      spec: { revision: "a".repeat(40) },
      status: {
        lastHandledRequest: "now",
        ...{ revision: "a".repeat(40), attempted: "a".repeat(40), observedHead: "a".repeat(40) },
        conditions: [
          condition("Ready", "True", seen),
          condition("Sourced", "False", { ...seen, reason: "SourceUnreachable", message: "no answer" }),
        ],
      },
      missing: undefined,
    },
    {
      state: "on its way",
      status: {
        lastHandledRequest: "now",
        attempted: "a".repeat(40),
        conditions: [condition("Ready", "False", { ...seen, reason: "Progressing", message: "1 of 2" })],
      },
      missing: /at aaaaaaaaaa: Progressing: 1 of 2$/,
    },
    {
      state: "ready while something goes on",
      status: {
        lastHandledRequest: "now",
        conditions: [condition("Ready", "True", seen), condition("Reconciling", "True", seen)],
      },
      missing: /^Waiting/,
    },
    {
      state: "ready as asked",
      status: { lastHandledRequest: "now", conditions: [condition("Ready", "True", seen)] },
      missing: undefined,
    },
  ])("of $state", ({ status, spec = {}, missing }) => {
    const found = missingFor(aRelease({ status, spec, generation: 2 }), asked);
    if (missing === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(missing);
  });

  test("ends the wait for what will not come by itself", () => {
    const conditions = [
      condition("Ready", "False", { ...seen, reason: "RenderFailed", message: "web.yaml:3" }),
      condition("Stalled", "True", seen),
    ];
    const stalled = aRelease({ status: { lastHandledRequest: "now", conditions }, generation: 2 });
    expect(() => missingFor(stalled, asked)).toThrow(NotReadyError);
    expect(() => missingFor(stalled, asked)).toThrow(/RenderFailed: web.yaml:3$/);
    expect(() => missingFor(aRelease({ spec: { suspend: true } }), asked)).toThrow(/is suspended/);
  });
});
