import { describe, expect, test } from "vitest";
import * as z from "zod";
import { ConfigMap } from "../../../crds/core-kinds.ts";
import { defineKind, type KindDefinition } from "../../../crds/kind.ts";
import type { KubernetesObject } from "../../../crds/object.ts";
import { createShapeOf } from "../../../operator/engine/declared-shapes.ts";
import { builtInShapeOf } from "../../../operator/engine/kind-shapes.ts";
import { aGadgetKind, Gadget } from "../../fakes/gadget.ts";
import { ReconcileBench } from "../../fakes/reconcile-bench.ts";

const set = { "x-kubernetes-list-type": "set" };
const byName = { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] };
const spec = z.object({
  routes: z
    .array(z.object({ name: z.string(), path: z.string().default("/"), retries: z.int().optional() }))
    .meta(byName)
    .optional(),
  rules: z.array(z.object({ allow: z.string(), mode: z.string().default("all") })).optional(),
  labels: z
    .object({ match: z.record(z.string(), z.string()) })
    .meta({ "x-kubernetes-map-type": "atomic" })
    .optional(),
});

/** A kind of a user. */
const Board = defineKind({
  group: "example.dev",
  kind: "Board",
  plural: "boards",
  description: "A board.",
  hasStatus: false,
  versions: [
    { name: "v1", spec: z.object({ ...spec.shape, hosts: z.array(z.string()).optional() }), storage: false },
    {
      name: "v2",
      spec: z.object({ ...spec.shape, hosts: z.array(z.string()).meta(set).optional() }),
      storage: true,
    },
  ],
});

const alone = (definition: KindDefinition) => ({ definition, children: [], related: [] });
const ofBoard = (apiVersion: string) => ({ apiVersion, kind: "Board" });

describe("createShapeOf()", () => {
  test("returns the shape of the version of an object", () => {
    const shapeOf = createShapeOf([alone(Board)]);
    const hosts = (version: string) =>
      shapeOf(ofBoard(`example.dev/${version}`)).fields?.["spec"]?.fields?.["hosts"];
    expect([hosts("v1"), hosts("v2")]).toEqual([undefined, { set: true }]);
  });

  test("knows child kinds and related kinds that are declared", () => {
    const related = [{ kind: Board, ownerKey: () => undefined }];
    for (const kind of [
      { definition: Gadget, children: [Board, ConfigMap], related: [] },
      { definition: Gadget, children: [ConfigMap], related },
    ])
      expect(createShapeOf([kind])(ofBoard("example.dev/v2")).fields).toHaveProperty("spec");
  });

  test.for([
    { apiVersion: "apps/v1", kind: "Deployment" },
    { apiVersion: "v1", kind: "Pod" },
    ofBoard("example.dev/v3"),
    ofBoard("v2"),
    ofBoard("other.example.dev/v2"),
  ])("returns the built-in shape of $apiVersion $kind", (object) => {
    expect(createShapeOf([alone(Board)])(object)).toBe(builtInShapeOf(object));
  });

  test("computes the shapes of a kind once, at the first comparison", () => {
    let reads = 0;
    const counted = new Proxy(Board, {
      get: (kind, field, receiver) => {
        // Only the schema of the CRD contains it.
        if (field === "description") reads++;
        return Reflect.get(kind, field, receiver) as unknown;
      },
    });
    const shapeOf = createShapeOf([alone(counted)]);
    shapeOf({ apiVersion: "v1", kind: "Pod" });
    expect(reads).toBe(0);
    const first = shapeOf(ofBoard("example.dev/v2"));
    const before = reads;
    expect(before).toBeGreaterThan(0);
    expect(shapeOf(ofBoard("example.dev/v2"))).toBe(first);
    shapeOf(ofBoard("example.dev/v1"));
    expect(reads).toBe(before);
  });

  test("treats a kind whose schema cannot be in a CRD as unknown", () => {
    const [version] = Board.versions;
    const schema = z.object({ at: z.date() });
    const odd = { ...Board, versions: [{ ...version, spec: schema }] } as unknown as KindDefinition;
    const object = ofBoard("example.dev/v1");
    expect(createShapeOf([alone(odd)])(object)).toBe(builtInShapeOf(object));
  });
});

describe("an object of a kind of a user", () => {
  const desired = {
    routes: [{ name: "a" }, { name: "b", path: "/b" }],
    rules: [{ allow: "x" }],
    labels: { match: { app: "web" } },
  };

  /** A reconciled resource with a Board that the API server has stored with defaults, and that another manager changed. */
  async function afterChange(change: (content: typeof desired) => object) {
    const object = { apiVersion: "example.dev/v2", kind: "Board", metadata: { name: "web" }, spec: desired };
    const bench = new ReconcileBench({
      kind: aGadgetKind({ children: [Board] }),
      resource: { spec: { objects: [object] } },
    });
    bench.cluster.rewrite = (stored) =>
      stored.kind === "Board" ? { ...stored, ...complete(stored) } : stored;
    await bench.reconcile();
    const live = bench.live("Board", "web") ?? expect.fail("there is no Board");
    const content = live["spec"] as typeof desired;
    const changed = { ...live, spec: { ...content, ...change(content) } };
    bench.takeRequests();
    bench.deliver(bench.cluster.put(changed));
    await bench.reconcile();
    return { bench, requests: bench.takeRequests().filter((request) => request.endsWith("Board/web")) };
  }

  /** The content of an object after the API server has set defaults. */
  function complete({ spec: content }: KubernetesObject): object {
    return { spec: Board.spec.parse(content) };
  }

  test.for([
    { what: "defaults", change: () => ({}) },
    {
      what: "an item in a list of type map",
      change: ({ routes }: typeof desired) => ({ routes: [{ name: "theirs" }, ...routes] }),
    },
    {
      what: "a field in an item of a list of type map",
      change: ({ routes }: typeof desired) => ({ routes: routes.map((route) => ({ ...route, retries: 3 })) }),
    },
    { what: "a field that the manifest does not have", change: () => ({ hosts: ["a.example.dev"] }) },
  ])("is not applied again because of $what from others", async ({ change }) => {
    expect((await afterChange(change)).requests).toEqual([]);
  });

  test.for([
    {
      what: "an item in an atomic list",
      change: ({ rules }: typeof desired) => ({ rules: [...rules, { allow: "y" }] }),
      says: "spec.rules",
    },
    {
      what: "a field inside an atomic map",
      change: () => ({ labels: { match: { app: "web", tier: "front" } } }),
      says: "spec.labels.match.tier",
    },
    {
      what: "another value than the default in an atomic list",
      change: () => ({ rules: [{ allow: "x", mode: "none" }] }),
      says: "spec.rules[0].mode",
    },
    {
      what: "another order in a list of type map",
      change: ({ routes }: typeof desired) => ({ routes: routes.toReversed() }),
      says: "spec.routes[b]",
    },
  ])("is restored after another manager added $what", async ({ change, says }) => {
    const { bench, requests } = await afterChange(change);
    expect(requests).toEqual(["apply Board/web"]);
    expect(bench.events).toContainEqual(
      expect.objectContaining({ reason: "Restored", note: expect.stringContaining(says) }),
    );
    // The answer of the API server equals the manifest, so nothing is applied again.
    bench.deliver(bench.live("Board", "web") ?? expect.fail("there is no Board"));
    await bench.reconcile();
    expect(bench.takeRequests().filter((request) => request.startsWith("apply"))).toEqual([]);
  });
});
