import { describe, expect, test } from "vitest";
import type { LiveObject } from "../../../crds/object.ts";
import type { Decision } from "../../../operator/engine/decide-object.ts";
import { decidePrune } from "../../../operator/engine/decide-prune.ts";
import type { DesiredObject } from "../../../operator/engine/desired-set.ts";
import { fitToLive } from "../../../operator/engine/immutable.ts";
import { builtInShapeOf } from "../../../operator/engine/kind-shapes.ts";
import { planChanges } from "../../../operator/engine/plan.ts";
import { explainDecision, explainPrune } from "../../../operator/engine/reasons.ts";
import { idOf, stamps } from "../../../synth/manifest.ts";
import { aManifest, anOwner, asLive, set } from "../../fakes/owned-objects.ts";
import { aDesiredSet, asOwnedObject, planOf } from "../../fakes/plans.ts";

const config = aManifest({ fields: { data: { a: "1" } } });
const live = asLive(config);
const id = idOf(config);
const drifted = { ...live, data: { a: "2" } };
const deletionTimestamp = "2026-01-01T00:00:00Z";

describe("each planned step has a reason", () => {
  const aJob = (generation: number, a: number) =>
    aManifest({ apiVersion: "batch/v1", kind: "Job", generation, fields: { spec: { template: { a } } } });
  test.for<{
    readonly step: string;
    readonly there: readonly LiveObject[];
    readonly manifest?: typeof config;
    readonly isSettled?: true;
    readonly says: object | undefined;
  }>([
    { step: "an object that is absent", there: [], says: { does: "create", reason: "it does not exist" } },
    { step: "an object that is as it should be", there: [live], says: undefined },
    {
      step: "an object that drifted",
      there: [drifted],
      says: { does: "apply", reason: "data.a was changed" },
    },
    {
      step: "an object of another manifest",
      there: [asLive(config, { annotations: { [stamps.digest]: "d0" } })],
      says: { does: "apply", reason: "its manifest changed" },
    },
    {
      step: "an object that is handed over",
      there: [{ ...live, ours: false }],
      says: { does: "apply", reason: "it exists and is to be adopted" },
    },
    {
      step: "an object of another owner",
      there: [{ ...live, ours: false, metadata: { ...live.metadata, ownerReferences: [] } }],
      says: { does: "apply", reason: "an object of this name exists and has another owner" },
    },
    {
      step: "an object that applying does not mend",
      there: [drifted],
      isSettled: true,
      says: { does: "keep", reason: "data.a differs from the manifest, and applying does not change it" },
    },
    {
      step: "an object whose fields cannot be changed",
      manifest: aJob(2, 2),
      there: [asLive(fitToLive(aJob(1, 1), undefined).manifest ?? config)],
      says: { does: "replace", reason: "an immutable field changed, so it is deleted and recreated" },
    },
    {
      step: "an object that is terminating",
      there: [asLive(config, { deletionTimestamp, finalizers: ["example.dev/a", "example.dev/b"] })],
      says: {
        does: "wait",
        reason: `deletion started at ${deletionTimestamp}, blocked by the finalizers (example.dev/a, example.dev/b)`,
      },
    },
    {
      step: "an object of a deleted namesake",
      there: [
        asLive(config, { ownerReferences: [{ ...config.metadata.ownerReferences?.[0], uid: "0" } as never] }),
      ],
      says: { does: "wait", reason: "it belongs to a deleted resource of the same name" },
    },
  ])("$step", ({ there, manifest = config, isSettled = false, says }) => {
    const found = new Map(there.map((one) => [idOf(one), one]));
    const { reasons } = planOf([manifest], {
      observed: (one) => found.get(one),
      isSettled: () => isSettled,
    });
    expect(reasons).toEqual(says === undefined ? [] : [{ id: idOf(manifest), ...says }]);
  });

  const planWith = (watch: { readonly hasSynced: boolean; readonly refusal: string | undefined }) => {
    const [first, second] = aDesiredSet([config, aManifest({ name: "late" })]).objects;
    const objects = [first, { ...(second as DesiredObject), needs: [id] }] as readonly DesiredObject[];
    return planChanges({
      resource: anOwner(),
      desired: { ...aDesiredSet([]), objects },
      observed: () => undefined,
      watch: () => watch,
      isSettled: () => false,
      shapeOf: builtInShapeOf,
      assess: () => ({ status: "Current", reason: "Current", message: "" }),
    }).reasons;
  };

  test("an object that needs another one", () => {
    const needs = "ConfigMap shop/late waits for ConfigMap shop/web: it is not applied yet";
    const watched = planWith({ hasSynced: true, refusal: undefined });
    expect(watched[1]).toEqual({ does: "hold", id: "/ConfigMap/shop/late", reason: needs });
  });

  test.for([
    {
      watch: { hasSynced: false, refusal: undefined },
      why: "the objects of its kind have not been listed yet",
    },
    { watch: { hasSynced: true, refusal: "it may not be listed" }, why: "it may not be listed" },
  ])("an object whose kind is not watched, because $why", ({ watch, why }) => {
    const reason = `ConfigMap shop/web (shop/web) is not applied: ${why}`;
    expect(planWith(watch)[0]).toEqual({ does: "hold", id, reason });
  });

  test("a namespace of another owner", () => {
    const decision: Decision = { does: "keep", live, because: "it has another owner" };
    expect(explainDecision(id, decision)).toEqual({ does: "keep", id, reason: "it has another owner" });
  });
});

describe("each object that is no longer desired has a reason for its action", () => {
  const old = (name: string, metadata: object = {}) =>
    asOwnedObject(asLive(aManifest({ name, metadata: { ...config.metadata, name, ...metadata } })));
  const decide = (owned: readonly ReturnType<typeof old>[], more: object = {}) =>
    decidePrune({
      resource: anOwner(),
      set,
      owned,
      desired: aDesiredSet([config]),
      isReferenced: true,
      deployed: undefined,
      approved: undefined,
      approvals: ["d"],
      ...more,
    });
  const reasonsOf = (...input: Parameters<typeof decide>) =>
    explainPrune(decide(...input), "no longer in the source").map(
      ({ does, id: of, reason }) => `${does} ${of.split("/").at(-1)}: ${reason}`,
    );

  test.for([
    { becomes: "it goes", owned: [old("a")], says: ["prune a: it is no longer in the source"] },
    {
      becomes: "an annotation keeps it",
      owned: [old("a", { annotations: { "fairlead.dev/prune": "disabled" } })],
      says: ["keep a: it is no longer in the source, but an annotation keeps it"],
    },
    {
      becomes: "nothing is pruned at all",
      owned: [old("a")],
      more: { isOn: false },
      says: ["keep a: it is no longer in the source, but spec.prune is false"],
    },
    {
      becomes: "it needs approval",
      owned: ["a", "b", "c", "d", "e"].map((name) => old(name)),
      says: ["a", "b", "c", "d", "e"].map((name) => `hold ${name}: its deletion needs approval`),
    },
    {
      becomes: "another one goes first",
      owned: [old("a"), old("b", { deletionTimestamp, finalizers: ["x"] })],
      more: { waves: [["/ConfigMap/shop/a"], ["/ConfigMap/shop/b"]] },
      says: [
        `wait b: deletion started at ${deletionTimestamp}, blocked by the finalizers (x)`,
        "hold a: it is no longer in the source, and is deleted after ConfigMap shop/b",
      ],
    },
  ])("$becomes", ({ owned, more = {}, says }) => {
    expect(reasonsOf(owned, more)).toEqual(says);
  });
});
