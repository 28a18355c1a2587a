import { describe, expect, test } from "vitest";
import { findDrift } from "../../../operator/engine/covers.ts";
import { fitToLive } from "../../../operator/engine/immutable.ts";
import { builtInShapeOf } from "../../../operator/engine/kind-shapes.ts";
import { type Manifest, stamps } from "../../../synth/manifest.ts";
import { aManifest, asLive } from "../../fakes/owned-objects.ts";

interface JobOptions {
  readonly image?: string;
  readonly generation?: number;
  readonly ttl?: number;
}

function aJob({ image = "echo:1", generation = 1, ttl = 60 }: JobOptions = {}): Manifest {
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "echo", image }] } };
  const fields = { spec: { template, ttlSecondsAfterFinished: ttl } };
  return aManifest({ apiVersion: "batch/v1", kind: "Job", generation, fields });
}

/** The Job that the server makes of a manifest: with a selector, labels and defaults of its own. */
function running(manifest: Manifest) {
  const { manifest: made = manifest } = fitToLive(manifest, undefined);
  const spec = structuredClone(made["spec"]) as { template: { metadata?: object } };
  spec.template.metadata = { labels: { "batch.kubernetes.io/controller-uid": "j1" } };
  const selector = { matchLabels: { "batch.kubernetes.io/controller-uid": "j1" } };
  return asLive({ ...made, spec: { ...spec, completions: 1, parallelism: 1, selector } });
}

function without(live: ReturnType<typeof running>, annotation: string): ReturnType<typeof running> {
  const { [annotation]: _, ...annotations } = live.metadata.annotations ?? {};
  return { ...live, metadata: { ...live.metadata, annotations } };
}

describe("fitToLive() for a Job", () => {
  test("stamps a new Job with the digest of what cannot be edited", () => {
    const { manifest } = fitToLive(aJob(), undefined);
    expect(manifest?.metadata.annotations?.[stamps.template]).toMatch(/^[0-9a-f]{32}$/);
    expect(manifest?.["spec"]).toEqual(aJob()["spec"]);
  });

  test("replaces it when an edit of the resource changes its template", () => {
    const live = running(aJob());
    expect(fitToLive(aJob({ image: "echo:2", generation: 2 }), live)).toEqual({ replaces: live });
  });

  test("replaces it when an edit removes a field of its template", () => {
    const job = aJob();
    const container = { name: "echo", image: "echo:1", env: [{ name: "A", value: "1" }] };
    const spec = {
      template: { spec: { restartPolicy: "Never", containers: [container] } },
      ttlSecondsAfterFinished: 60,
    };
    const live = running({ ...job, spec });
    expect(fitToLive(aJob({ generation: 2 }), live)).toEqual({ replaces: live });
  });

  test("does not replace it when an edit changes only mutable fields", () => {
    const { manifest } = fitToLive(aJob({ ttl: 5, generation: 2 }), running(aJob()));
    expect(manifest?.["spec"]).toMatchObject({ ttlSecondsAfterFinished: 5 });
    expect(manifest?.metadata.annotations?.[stamps.generation]).toBe("2");
  });

  test("an upgrade of the chart does not change it", () => {
    const live = running(aJob());
    const { manifest, replaces } = fitToLive(aJob({ image: "echo:2" }), live);
    expect(replaces).toBeUndefined();
    const spec = live["spec"] as { template: unknown };
    expect(manifest?.["spec"]).toMatchObject({ template: spec.template, ttlSecondsAfterFinished: 60 });
  });

  test("fields that an upgrade changed do not cause a replacement at the next edit", () => {
    const upgraded = fitToLive(aJob({ image: "echo:2" }), running(aJob())).manifest;
    const live = asLive(upgraded as Manifest);
    expect(fitToLive(aJob({ image: "echo:2", ttl: 5, generation: 2 }), live).replaces).toBeUndefined();
    expect(fitToLive(aJob({ image: "echo:3", generation: 2 }), live).replaces).toBe(live);
  });

  test("one that an earlier operator created is stamped, and never replaced because of its chart", () => {
    const former = without(without(running(aJob({ image: "former:1" })), stamps.generation), stamps.template);
    const { manifest } = fitToLive(aJob({ generation: 7 }), former);
    expect(manifest?.metadata.annotations?.[stamps.generation]).toBe("7");
    expect(findDrift(manifest as Manifest, asLive(manifest as Manifest), builtInShapeOf)).toBeUndefined();
    const stamped = asLive(manifest as Manifest);
    expect(fitToLive(aJob({ generation: 7 }), stamped).replaces).toBeUndefined();
    expect(fitToLive(aJob({ generation: 8 }), stamped).replaces).toBeUndefined();
    expect(fitToLive(aJob({ image: "echo:2", generation: 8 }), stamped).replaces).toBe(stamped);
  });

  test.for([
    ["after it was made", aJob(), aJob()],
    ["after an upgrade", aJob(), aJob({ image: "echo:2" })],
    ["after an edit", aJob(), aJob({ generation: 2, ttl: 1 })],
  ] as const)("finds no drift %s", ([, first, second]) => {
    const live = asLive(fitToLive(second, running(first)).manifest as Manifest);
    const { manifest } = fitToLive(second, live);
    expect(findDrift(manifest as Manifest, live, builtInShapeOf)).toBeUndefined();
  });
});

describe("fitToLive() for workloads", () => {
  const aDeployment = (selector: object, labels: Record<string, string>): Manifest =>
    aManifest({
      apiVersion: "apps/v1",
      kind: "Deployment",
      fields: { spec: { selector, template: { metadata: { labels } } } },
    });
  const labels = { app: "memcached", instance: "web" };
  const selectorOf = (former: object) => {
    const live = asLive(aDeployment(former, labels));
    const { manifest } = fitToLive(aDeployment({ matchLabels: labels }, labels), live);
    return (manifest as Manifest & { spec: { selector: unknown } }).spec.selector;
  };

  test.for([
    { does: "that matches more pods", selector: { matchLabels: { app: "memcached" } } },
    {
      does: "of expressions",
      selector: { matchExpressions: [{ key: "app", operator: "In", values: ["memcached"] }] },
    },
    { does: "that requires a label", selector: { matchExpressions: [{ key: "app", operator: "Exists" }] } },
    {
      does: "that excludes",
      selector: {
        matchExpressions: [
          { key: "canary", operator: "DoesNotExist" },
          { key: "app", operator: "NotIn", values: ["redis"] },
        ],
      },
    },
  ])("keep a selector $does and finds their pods", ({ selector }) => {
    expect(selectorOf(selector)).toEqual(selector);
  });

  test.for([
    { does: "another label", selector: { matchLabels: { app: "memcached", tier: "cache" } } },
    {
      does: "another value",
      selector: { matchExpressions: [{ key: "app", operator: "In", values: ["redis"] }] },
    },
    {
      does: "labels that the pods do not have",
      selector: { matchExpressions: [{ key: "tier", operator: "Exists" }] },
    },
    {
      does: "something unheard-of",
      selector: { matchExpressions: [{ key: "app", operator: "Gt", values: ["1"] }] },
    },
  ])("do not change one that requires $does, which the API server refuses", ({ selector }) => {
    expect(selectorOf(selector)).toEqual({ matchLabels: labels });
  });

  test("mutable fields are sent unchanged", () => {
    const manifest = aManifest();
    expect(fitToLive(manifest, asLive(manifest)).manifest).toBe(manifest);
  });
});
