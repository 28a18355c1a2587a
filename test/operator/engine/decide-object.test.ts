import { describe, expect, test } from "vitest";
import type { LiveObject } from "../../../crds/object.ts";
import { idOf, type Manifest, stamps } from "../../../synth/manifest.ts";
import { aManifest, asLive, set } from "../../fakes/owned-objects.ts";
import { planOf, prunedOf } from "../../fakes/plans.ts";

function plan(
  desired: readonly Manifest[],
  there: readonly LiveObject[],
  more: { readonly isSettled?: (live: LiveObject) => boolean; readonly observed?: () => undefined } = {},
) {
  const observed = new Map(there.map((live) => [idOf(live), live]));
  const owned = there.filter(({ metadata }) => metadata.labels?.[stamps.set] === set);
  const { apply, ...made } = planOf(desired, { observed: (id) => observed.get(id), ...more });
  return {
    apply: apply.map((steps) => steps.map(({ object, kind, ...step }) => step)),
    keep: made.keep,
    replace: made.replace,
    waiting: made.waiting,
    leftBehind: made.leftBehind,
    prune: prunedOf(desired, owned),
  };
}

const config = aManifest({ fields: { data: { a: "1" } } });
const live = asLive(config);
const quiet = { apply: [], keep: [], replace: [], waiting: [], leftBehind: [], prune: [] };
const withFields = (object: LiveObject, fields: object): LiveObject => ({ ...object, ...fields });
const update = { mode: "update", uid: live.metadata.uid } as const;
const withDeletion = (object: LiveObject): LiveObject => ({
  ...object,
  metadata: { ...object.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" },
});
const step = (guard: object, because: string, there?: LiveObject) => [
  [{ manifest: config, guard, live: there, because }],
];

describe("planChanges()", () => {
  const foreign = { ...live, ours: false, metadata: { ...live.metadata, ownerReferences: [] } };
  const drifted = withFields(live, { data: { a: "2" } });
  const newer = asLive(config, { annotations: { [stamps.digest]: "d0" } });
  const formerly = { ...live, ours: false };
  const leaving = asLive(config, {
    ownerReferences: [{ ...config.metadata.ownerReferences?.[0], uid: "0" } as never],
  });
  const shared = asLive(config, {
    ownerReferences: [...(leaving.metadata.ownerReferences ?? []), { kind: "Other", uid: "9" } as never],
  });
  const terminating = asLive(config, { deletionTimestamp: "2026-01-01T00:00:00Z" });

  test.for([
    {
      does: "creates an absent object",
      there: [],
      plan: { apply: step({ mode: "create" }, "absent") },
    },
    { does: "keeps an object that is as desired", there: [live], plan: { keep: [live] } },
    {
      does: "keeps an object to which others added fields",
      there: [withFields(live, { data: { a: "1", b: "2" } })],
      plan: {
        keep: [withFields(live, { data: { a: "1", b: "2" } })],
      },
    },
    {
      does: "applies an object that drifted, and reports the fields",
      there: [drifted],
      plan: { apply: step(update, "data.a", drifted) },
    },
    {
      does: "applies an object that was created from another manifest",
      there: [newer],
      plan: { apply: step(update, "digest", newer) },
    },
    {
      does: "applies to an object that it adopts",
      there: [formerly],
      plan: { apply: step(update, "adopt", formerly) },
    },
    {
      does: "sends a create-only request for an object that is not ours",
      there: [foreign],
      plan: { apply: step({ mode: "create" }, "foreign", foreign) },
    },
    { does: "waits for a terminating object", there: [terminating], plan: { waiting: [terminating] } },
    {
      does: "deletes the remaining objects of an earlier resource of this name",
      there: [leaving],
      plan: { leftBehind: [leaving] },
    },
    {
      does: "waits for a terminating object of an earlier resource of this name",
      there: [withDeletion(leaving)],
      plan: { waiting: [withDeletion(leaving)] },
    },
    {
      does: "waits for garbage collection of an object that also has another owner",
      there: [shared],
      plan: { waiting: [shared] },
    },
    {
      does: "waits for garbage collection of objects that another operator created for a predecessor",
      there: [{ ...leaving, ours: false }],
      plan: { waiting: [{ ...leaving, ours: false }] },
    },
  ])("$does", ({ there, plan: expected }) => {
    expect(plan([config], there)).toEqual({ ...quiet, ...expected });
  });

  test("keeps an object on which an apply had no effect, as long as it is the same object", () => {
    expect(plan([config], [drifted], { isSettled: (object) => object === drifted }).keep).toEqual([drifted]);
  });

  test("applies an object that was created from another manifest, for any memory of the object", () => {
    expect(plan([config], [newer], { isSettled: () => true }).apply).toHaveLength(1);
  });

  test("repairs a set label, an owner reference and a digest that were removed", () => {
    const unlabelled = asLive(config, { labels: {} });
    const unreferenced = asLive(config, { ownerReferences: [] });
    const undigested = asLive(config, { annotations: {} });
    for (const object of [unlabelled, unreferenced, undigested]) {
      expect(plan([config], [object]).apply).toMatchObject([[{ guard: update }]]);
    }
  });

  test("applies stage by stage", () => {
    const names = ["Secret", "ConfigMap", "Pod", "Service"];
    const stages = plan(
      names.map((kind) => aManifest({ kind })),
      [],
    ).apply;
    expect(stages.map((steps) => steps.map(({ manifest }) => manifest.kind))).toEqual([
      ["Secret", "ConfigMap"],
      ["Pod"],
      ["Service"],
    ]);
  });

  test("prunes objects that are owned and no longer desired, in reverse apply order", () => {
    const [service, secret, other] = ["Service", "Secret", "ConfigMap"].map((kind) =>
      asLive(aManifest({ kind, name: "old" })),
    );
    const pod = asLive(aManifest({ kind: "Pod", name: "old" }));
    const there = [secret, live, pod, service, other] as LiveObject[];
    expect(plan([config], there)).toEqual({ ...quiet, keep: [live], prune: [service, pod, other, secret] });
  });

  test("does not prune a desired object, even if the local copies are inconsistent", () => {
    expect(plan([config], [live], { observed: () => undefined }).prune).toEqual([]);
  });

  test("does not prune an object that it adopts under another API group", () => {
    const twin = asLive(aManifest({ apiVersion: "old.dev/v1" }), { uid: live.metadata.uid });
    expect(plan([config], [live, twin]).prune).toEqual([]);
  });

  test("deletes a Job whose template an edit changed, and does not recreate it yet", () => {
    const aJob = (generation: number, image: string): Manifest => {
      const fields = { spec: { template: { spec: { containers: [{ name: "a", image }] } } } };
      return aManifest({ apiVersion: "batch/v1", kind: "Job", generation, digest: image, fields });
    };
    const [step] = plan([aJob(1, "a:1")], []).apply.flat();
    const made = asLive(step?.manifest ?? config);
    expect(plan([aJob(2, "a:2")], [made])).toEqual({ ...quiet, replace: [made] });
    expect(plan([aJob(1, "a:2")], [made]).replace).toEqual([]);
  });
});
