import { describe, expect, test } from "vitest";
import { describePlan } from "../../../operator/engine/describe-plan.ts";
import type { DesiredSet } from "../../../operator/engine/desired-set.ts";
import { assessHealth } from "../../../operator/engine/health/health.ts";
import { builtInShapeOf } from "../../../operator/engine/kind-shapes.ts";
import { type Plan, type PlanInput, planChanges } from "../../../operator/engine/plan.ts";
import { aRelease, aSourceManifest, asOwned, asPrepared } from "../../fakes/releases.ts";

const configMap = aSourceManifest("v1", "ConfigMap", "web");
const secret = aSourceManifest("v1", "Secret", "web");
const definition = aSourceManifest(
  "apiextensions.k8s.io/v1",
  "CustomResourceDefinition",
  "widgets.example.dev",
  {
    fields: { spec: { group: "example.dev", names: { kind: "Widget" } } },
  },
);
const widget = aSourceManifest("example.dev/v1", "Widget", "w");

const plan = (prepared: DesiredSet, more: Partial<PlanInput> = {}): Plan =>
  planChanges({
    resource: aRelease(),
    desired: prepared,
    observed: () => undefined,
    watch: () => ({ hasSynced: true, refusal: undefined }),
    isSettled: () => false,
    shapeOf: builtInShapeOf,
    assess: (object) => assessHealth(object, { nowMs: 0 }),
    ...more,
  });

describe("describePlan()", () => {
  const set = "applyset";
  const describeIt = (made: Plan) => describePlan({ plan: made, prune: undefined, set });

  test("reports that all objects are applied, or what it waits for", () => {
    expect(describeIt(plan(asPrepared([configMap, secret])))).toEqual({ state: "applied", count: 2 });
    expect(describeIt(plan(asPrepared([definition, configMap])))).toEqual({
      state: "waiting",
      message:
        "ConfigMap shop/web waits for CustomResourceDefinition widgets.example.dev: it is not applied yet",
      isWatched: true,
    });
    expect(describeIt(plan(asPrepared([widget])))).toEqual({
      state: "waiting",
      reason: "KindUnknown",
      message: "Widget w (file-0.yaml:1) is not applied: the cluster has no kind Widget in example.dev/v1",
      isWatched: true,
    });
  });

  test("reports kinds that may not be watched, and not those that have not been read yet", () => {
    const withWatch = (refusal: string | undefined) =>
      describeIt(plan(asPrepared([secret]), { watch: () => ({ hasSynced: false, refusal }) }));
    expect(withWatch("the operator may not list secrets")).toEqual({
      state: "refused",
      reason: "KindNotWatched",
      message: "Secret shop/web (file-0.yaml:1) is not applied: the operator may not list secrets",
    });
    expect(withWatch(undefined)).toEqual({ state: "retry" });
  });

  test("waits for objects that must be deleted first, and requests approval for deletions", () => {
    const made = plan(asPrepared([configMap]));
    const [object] = asPrepared([secret]).objects.map(({ manifest }) =>
      asOwned(manifest, { deletionTimestamp: "now" }),
    );
    const leaving = object === undefined ? [] : [object.live];
    expect(describeIt({ ...made, waiting: leaving })).toMatchObject({
      state: "waiting",
      message: "Waiting for Secret shop/web to be deleted before recreating it",
    });
    const held = { objects: [], message: "Nothing is deleted" };
    const prune = { now: [], later: [], leaving: [], kept: [], held };
    expect(describePlan({ plan: made, prune, set })).toEqual({
      state: "refused",
      reason: "PruneHeld",
      message: "Nothing is deleted",
    });
  });
});
