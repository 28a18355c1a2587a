import { describe, expect, test } from "vitest";
import { missingFor, NotReadyError } from "../../../cli/release/follow-release.ts";
import { aRelease, condition } from "./a-release.ts";

const asked = { request: "now", generation: 2 };
const seen = { observedGeneration: 2 };

describe("missingFor()", () => {
  test.for([
    { state: "nothing yet", status: {}, missing: /has not reconciled it yet$/ },
    {
      state: "ready for an older spec",
      status: { lastHandledRequest: "now", conditions: [condition("Ready", "True")] },
      missing: /has not reconciled it yet$/,
    },
    {
      state: "ready before it was asked",
      status: { lastHandledRequest: "before", conditions: [condition("Ready", "True", seen)] },
      missing: /has not reconciled it yet$/,
    },
    {
      state: "a remote that is down",
      status: {
        conditions: [
          condition("Ready", "True", seen),
          condition("Sourced", "False", { ...seen, reason: "SourceUnreachable", message: "no answer" }),
        ],
      },
      missing: /not reconciled it yet \(SourceUnreachable: no answer\)$/,
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
  ])("of $state", ({ status, missing }) => {
    const found = missingFor(aRelease({ status, generation: 2 }), asked);
    if (missing === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(missing);
  });

  test("treats a pin to the deployed revision as ready without its source, unless a poll was requested", () => {
    const revision = "a".repeat(40);
    const pinned = (reason: string) =>
      aRelease({
        generation: 2,
        spec: { revision },
        status: {
          ...{ lastHandledRequest: "now", revision, attempted: revision, observedHead: revision },
          conditions: [condition("Ready", "True", seen), condition("Sourced", "False", { ...seen, reason })],
        },
      });
    const unasked = { ...asked, request: undefined };
    expect(missingFor(pinned("SourceUnreachable"), unasked)).toBeUndefined();
    expect(missingFor(pinned("SourceRefused"), unasked)).toBeUndefined();
    expect(missingFor(pinned("SourceUnreachable"), asked)).toMatch(/^Waiting for the source/);
    expect(() => missingFor(pinned("SourceRefused"), asked)).toThrow(NotReadyError);
  });

  test("ends the wait if the Release cannot become ready by itself", () => {
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
