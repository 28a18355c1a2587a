import { describe, expect, test } from "vitest";
import type { LiveObject, ObjectKind } from "../../../crds/object.ts";
import type { DesiredSet } from "../../../operator/engine/desired-set.ts";
import { assessHealth } from "../../../operator/engine/health/health.ts";
import { builtInShapeOf } from "../../../operator/engine/kind-shapes.ts";
import { type Plan, type PlanInput, planChanges } from "../../../operator/engine/plan.ts";
import { idOf, type Manifest, stamps } from "../../../synth/manifest.ts";
import { aRelease, aSourceManifest, asOwned, asPrepared } from "../../fakes/releases.ts";

const configMap = aSourceManifest("v1", "ConfigMap", "web");
const secret = aSourceManifest("v1", "Secret", "web");
const deployment = aSourceManifest("apps/v1", "Deployment", "web", { fields: { spec: { replicas: 1 } } });
const service = aSourceManifest("v1", "Service", "web");
const namespace = aSourceManifest("v1", "Namespace", "prod");
const definition = aSourceManifest(
  "apiextensions.k8s.io/v1",
  "CustomResourceDefinition",
  "widgets.example.dev",
  {
    fields: { spec: { group: "example.dev", names: { kind: "Widget" } } },
  },
);
const widget = aSourceManifest("example.dev/v1", "Widget", "w");
const webhook = aSourceManifest("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "w");

const established = { status: { conditions: [{ type: "Established", status: "True" }] } };
const rolledOut = {
  status: { observedGeneration: 1, replicas: 1, updatedReplicas: 1, availableReplicas: 1 },
};

type Live = Readonly<Record<string, LiveObject>>;

/** Live objects of some prepared manifests, by id, with more fields. */
const liveOf = (prepared: DesiredSet, fields: Readonly<Record<string, object>>): Live =>
  Object.fromEntries(
    Object.entries(fields).map(([id, more]) => {
      const object = prepared.objects.find((one) => one.id === id);
      if (object === undefined) throw new Error(`no ${id} is prepared`);
      return [id, { ...asOwned(object.manifest).live, ...more }];
    }),
  );

const plan = (prepared: DesiredSet, live: Live = {}, more: Partial<PlanInput> = {}): Plan =>
  planChanges({
    resource: aRelease(),
    desired: prepared,
    observed: ({ id }) => live[id],
    watch: () => ({ hasSynced: true, refusal: undefined }),
    isSettled: () => false,
    shapeOf: builtInShapeOf,
    assess: (object) => assessHealth(object, { nowMs: 0 }),
    ...more,
  });

const summary = ({ apply, keep, blocked, ...rest }: Plan) => ({
  apply: apply.map((stage) => stage.map(({ object }) => object.manifest.kind)),
  keep: keep.map(({ kind }) => kind),
  blocked: blocked.map(({ object, reason, on }) => `${object.manifest.kind}: ${reason} ${on.join()}`.trim()),
  mayUnblockMore: rest.mayUnblockMore,
  isComplete: rest.isComplete,
});

const quiet = { apply: [], keep: [], blocked: [], mayUnblockMore: false, isComplete: true };

describe("planChanges()", () => {
  test("applies a new set in one pass, stage by stage", () => {
    expect(summary(plan(asPrepared([webhook, service, deployment, configMap, secret])))).toEqual({
      ...quiet,
      apply: [["ConfigMap", "Secret"], ["Deployment"], ["Service"], ["ValidatingWebhookConfiguration"]],
    });
  });

  test("keeps objects that are as desired, without a request", () => {
    const prepared = asPrepared([configMap, deployment]);
    const live = liveOf(prepared, { "/ConfigMap/shop/web": {}, "apps/Deployment/shop/web": rolledOut });
    expect(summary(plan(prepared, live))).toEqual({ ...quiet, keep: ["ConfigMap", "Deployment"] });
  });

  test("waits for a definition before all other objects, and reports that another pass may unblock more", () => {
    const prepared = asPrepared([widget, definition, configMap]);
    const id = "apiextensions.k8s.io/CustomResourceDefinition//widgets.example.dev";
    expect(summary(plan(prepared))).toEqual({
      apply: [["CustomResourceDefinition"]],
      keep: [],
      blocked: [`ConfigMap: Stage ${id}`, `Widget: Dependency ${id}`],
      mayUnblockMore: true,
      isComplete: false,
    });
    // Applied, not established: its event wakes us.
    const made = plan(prepared, liveOf(prepared, { [id]: {} }));
    expect(summary(made)).toMatchObject({ apply: [], mayUnblockMore: false });
    expect(made.blocked[0]?.message).toBe(
      "ConfigMap shop/web waits for CustomResourceDefinition widgets.example.dev: is being installed",
    );
    const ready = plan(prepared, liveOf(prepared, { [id]: established }));
    // The cluster knows its kind a moment later.
    expect(summary(ready)).toMatchObject({ apply: [["ConfigMap"]], blocked: [`Widget: KindUnknown`] });
  });

  test.for([
    { state: "pending", blocked: "Widget: NotSynced" },
    { state: "known", kind: {} as ObjectKind, blocked: "Widget: NotSynced" },
    { state: "absent", message: "there is none", blocked: "Widget: KindUnknown" },
  ] as const)("reports a kind as unknown only after it was looked up: $state", ({ blocked, ...answer }) => {
    const made = plan(asPrepared([widget]), {}, { askKind: () => answer });
    expect(summary(made).blocked).toEqual([blocked]);
  });

  test("waits for a terminating namespace", () => {
    const prepared = asPrepared([
      namespace,
      aSourceManifest("v1", "ConfigMap", "web", { namespace: "prod" }),
    ]);
    const gone = asOwned((prepared.objects[0] as { manifest: Manifest }).manifest, {
      deletionTimestamp: "now",
    });
    const made = plan(prepared, { [gone.id]: gone.live });
    expect(summary(made)).toMatchObject({ apply: [], blocked: ["ConfigMap: Dependency /Namespace//prod"] });
    expect(made.waiting.map(idOf)).toEqual(["/Namespace//prod"]);
  });

  test("does not apply an object that needs an unhealthy one, but applies the others", () => {
    const prepared = asPrepared([deployment, service, configMap], { 1: [0] });
    const live = liveOf(prepared, { "apps/Deployment/shop/web": {} });
    const made = plan(prepared, live);
    expect(summary(made)).toEqual({
      apply: [["ConfigMap"]],
      keep: ["Deployment"],
      blocked: ["Service: Dependency apps/Deployment/shop/web"],
      mayUnblockMore: true,
      isComplete: false,
    });
    expect(made.blocked[0]?.message).toBe(
      "Service shop/web waits for Deployment shop/web: 0 of 1 pod up to date and available",
    );
    const healthy = liveOf(prepared, { "apps/Deployment/shop/web": rolledOut });
    expect(summary(plan(prepared, healthy))).toMatchObject({
      apply: [["ConfigMap"], ["Service"]],
      isComplete: true,
    });
  });

  test("continues if a needed object is suspended", () => {
    const prepared = asPrepared([deployment, service], { 1: [0] });
    const stopped = { spec: { replicas: 1, paused: true }, status: { observedGeneration: 1 } };
    const paused = { ...liveOf(prepared, { "apps/Deployment/shop/web": stopped }) };
    expect(summary(plan(prepared, paused)).apply).toEqual([["Service"]]);
  });

  test("corrects drift at once, regardless of dependencies", () => {
    const prepared = asPrepared([deployment, configMap], { 1: [0] });
    const live = liveOf(prepared, { "apps/Deployment/shop/web": {}, "/ConfigMap/shop/web": {} });
    const object = live["/ConfigMap/shop/web"] as LiveObject;
    const edited = {
      ...object,
      metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, [stamps.owner]: "me" } },
    };
    expect(summary(plan(prepared, { ...live, "/ConfigMap/shop/web": edited })).apply).toEqual([
      ["ConfigMap"],
    ]);
    // A new version of it has to wait.
    const other = asPrepared(
      [deployment, aSourceManifest("v1", "ConfigMap", "web", { fields: { data: { a: "b" } } })],
      { 1: [0] },
    );
    expect(summary(plan(other, live)).apply).toEqual([]);
  });

  test("applies webhooks and policies after all other objects", () => {
    const prepared = asPrepared([webhook, widget, configMap]);
    expect(summary(plan(prepared))).toEqual({
      apply: [["ConfigMap"]],
      keep: [],
      blocked: ["Widget: KindUnknown", "ValidatingWebhookConfiguration: Stage example.dev/Widget//w"],
      mayUnblockMore: true,
      isComplete: false,
    });
  });

  test.for([
    {
      does: "may not be watched",
      watch: { hasSynced: false, refusal: "the operator may not list secrets" },
      blocked: "Secret: KindNotWatched",
    },
    {
      does: "is not known yet",
      watch: { hasSynced: false, refusal: undefined },
      blocked: "Secret: NotSynced",
    },
  ])("does not apply an object that $does, and applies the others", ({ watch, blocked }) => {
    const made = plan(
      asPrepared([secret, configMap]),
      {},
      {
        watch: ({ kind }) => (kind === "Secret" ? watch : { hasSynced: true, refusal: undefined }),
      },
    );
    expect(summary(made)).toMatchObject({ apply: [["ConfigMap"]], blocked: [blocked] });
  });

  test("does not change an ensured namespace, regardless of its creator", () => {
    const release = aRelease({ spec: { target: { namespace: "prod", createNamespace: true } } });
    const prepared = asPrepared([configMap], {}, release);
    expect(summary(plan(prepared)).apply).toEqual([["Namespace"]]);
    const others: LiveObject = {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: "prod", uid: "u", resourceVersion: "1" },
      ours: false,
    };
    expect(summary(plan(prepared, { "/Namespace//prod": others }))).toMatchObject({
      apply: [["ConfigMap"]],
      keep: ["Namespace"],
    });
  });

  test("recreates a Job when the source changed it, and only then", () => {
    const job = (image: string) =>
      asPrepared([
        aSourceManifest("batch/v1", "Job", "migrate", {
          fields: { spec: { template: { spec: { image } } } },
        }),
      ]);
    const [first] = plan(job("a")).apply.flat();
    const live = asOwned(first?.manifest as Manifest).live;
    expect(summary(plan(job("a"), { [idOf(live)]: live }))).toEqual({ ...quiet, keep: ["Job"] });
    expect(plan(job("b"), { [idOf(live)]: live }).replace.map(idOf)).toEqual(["batch/Job/shop/migrate"]);
  });

  test("tries to create an object that has another owner, so that a fresh read decides", () => {
    const prepared = asPrepared([configMap]);
    const foreign = {
      ...asOwned(prepared.objects[0]?.manifest as Manifest, { labels: {} }).live,
      ours: false,
    };
    expect(plan(prepared, { [idOf(foreign)]: foreign }).apply.flat()[0]).toMatchObject({
      guard: { mode: "create" },
      because: "foreign",
    });
  });
});
