import { describe, expect, test } from "vitest";
import { builtInShapeOf } from "../../../operator/engine/kind-shapes.ts";
import { planAdditions } from "../../../operator/engine/plan-additions.ts";
import type { Addition } from "../../../synth/manifest.ts";
import { addedBy } from "../../fakes/added-fields.ts";
import { aLiveObject, widgets } from "../../fakes/objects.ts";

const fieldManager = "fairlead/gadgets.example.dev/shop/web";
const theirs = aLiveObject({ ours: false, fields: { spec: { size: 1 } } });
const addition = (spec?: object, more: Partial<Addition> = {}): Addition => ({
  manifest: {
    apiVersion: theirs.apiVersion,
    kind: theirs.kind,
    metadata: { name: "web", namespace: "shop" },
    ...(spec && { spec }),
  },
  kind: widgets,
  selector: undefined,
  fields: Object.keys(spec ?? {}).map((name) => `spec.${name}`),
  fieldManager,
  ...more,
});
const pinned = addedBy(theirs, fieldManager, { spec: { revision: "a" } });
const deletionTimestamp = "2026-01-01T00:00:00Z";
const { fields: _, ...ofSubresource } = addition({ size: 1 }, { subresource: "scale" });

describe("planAdditions()", () => {
  test.for([
    {
      what: "a missing field",
      live: theirs,
      wants: addition({ revision: "a" }),
      because: "spec.revision",
    },
    { what: "another value", live: pinned, wants: addition({ revision: "b" }), because: "spec.revision" },
    {
      what: "the value of another manager, to keep it when that one releases it",
      live: theirs,
      wants: addition({ size: 1 }),
      because: "owner",
    },
    {
      what: "one field less",
      live: addedBy(pinned, fieldManager, { spec: { revision: "a", next: "b" } }),
      wants: addition({ revision: "a" }),
      because: "owner",
    },
    { what: "the removal of all fields", live: pinned, wants: addition(), because: "owner" },
  ])("applies $what", ({ live, wants, because }) => {
    const { apply, keep, reasons } = planAdditions({
      additions: [wants],
      shapeOf: builtInShapeOf,
      observed: () => live,
      isSettled: () => false,
    });
    expect(apply.map((step) => [step.because, step.guard])).toEqual([
      [because, { mode: "update", uid: live.metadata.uid }],
    ]);
    expect(keep).toEqual([]);
    const told = because === "owner" ? "own exactly the fields" : `${because} is missing`;
    expect(reasons).toMatchObject([{ does: "extend", reason: expect.stringContaining(told) }]);
    // An attempt that changed nothing is not repeated.
    const again = planAdditions({
      additions: [wants],
      shapeOf: builtInShapeOf,
      observed: () => live,
      isSettled: () => true,
    });
    expect([again.apply, again.keep]).toEqual([[], [live]]);
    expect(again.reasons).toMatchObject([
      { does: "keep", reason: expect.stringContaining("applying does not change it") },
    ]);
  });

  test.for([
    { what: "fields that are in place and ours", live: pinned, wants: addition({ revision: "a" }) },
    { what: "a field that was never set", live: theirs, wants: addition() },
    {
      what: "a subresource whose fields are in place, for any manager",
      live: theirs,
      wants: ofSubresource,
    },
  ])("keeps $what", ({ live, wants }) => {
    const plan = planAdditions({
      additions: [wants],
      shapeOf: builtInShapeOf,
      observed: () => live,
      isSettled: () => false,
    });
    expect([plan.apply, plan.keep, plan.reasons]).toEqual([[], [live], []]);
  });

  test.for([
    { what: "does not exist", live: undefined, says: /^it does not exist/ },
    {
      what: "is being deleted",
      live: { ...pinned, metadata: { ...pinned.metadata, deletionTimestamp } },
      says: /^deletion started at/,
    },
  ])("does not change an object that $what, and reports it", ({ live, says }) => {
    for (const wants of [addition({ revision: "b" }), addition()]) {
      const plan = planAdditions({
        additions: [wants],
        shapeOf: builtInShapeOf,
        observed: () => live,
        isSettled: () => false,
      });
      expect([plan.apply, plan.keep]).toEqual([[], []]);
      expect(plan.reasons).toMatchObject([{ does: "hold", reason: expect.stringMatching(says) }]);
    }
  });
});
