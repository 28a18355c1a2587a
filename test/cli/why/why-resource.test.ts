import { expect, test } from "vitest";
import { podSet } from "../../../charts/bindings.ts";
import { whyResource } from "../../../cli/why/why-resource.ts";
import type { KubernetesObject } from "../../../crds/object.ts";
import { builtInShapeOf } from "../../../operator/engine/kind-shapes.ts";
import { condition } from "../release/a-release.ts";
import { type APodSetOptions, aPodSet, aSession, someCommands } from "./a-session.ts";

const deployments = "/apis/apps/v1/namespaces/shop/deployments";
const published = { commit: "1a2b3c4d5e6f", digest: "d", tree: "t" };
const ready = {
  observedGeneration: 1,
  conditions: [condition("Ready", "True"), condition("Applied", "True"), condition("Healthy", "True")],
  published,
};
const explain = (
  resource: APodSetOptions,
  { there = {}, forbidden = [] }: { there?: Record<string, KubernetesObject>; forbidden?: string[] } = {},
) =>
  whyResource(aPodSet(resource) as never, {
    ...{ session: aSession(there, { forbidden }), binding: podSet, nowMs: 0 },
    commands: someCommands,
    shapeOf: builtInShapeOf,
  });

test("a missing object is planned to be created", async () => {
  const { title, wants, waits, changed } = await explain({ status: ready });
  expect(title).toBe("PodSet shop/web is Ready");
  expect(wants).toMatchObject({ objects: 1, unread: 0, surplus: [] });
  expect(wants?.steps).toEqual([
    { does: "create", id: "apps/Deployment/shop/web", reason: "it does not exist" },
  ]);
  expect(waits).toEqual([]);
  expect(changed.at(-1)).toBe("commit 1a2b3c4d5e has its manifests");
});

test("an object of another owner is held, with the command that hands it over", async () => {
  const theirs = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "shop", uid: "theirs", resourceVersion: "1" },
  };
  const { wants, next } = await explain({}, { there: { [`${deployments}/web`]: theirs } });
  expect(wants?.steps).toMatchObject([
    { does: "hold", reason: "it belongs to another owner, so it is not changed" },
  ]);
  expect(next[0]).toMatch(
    /^kubectl annotate deployment web -n shop fairlead\.dev\/adopt-by=podset\/web --kubeconfig=\/tmp\/kube {3}#/,
  );
});

test("a resource that is being deleted waits for its finalizers, and has no desired objects", async () => {
  const deletionTimestamp = "2026-01-01T00:00:00Z";
  const { wants, waits } = await explain({
    metadata: { deletionTimestamp, finalizers: ["example.dev/x"] },
    status: ready,
  });
  expect(wants).toBeUndefined();
  expect(waits).toEqual([
    {
      on: "Deleting",
      message: "Being deleted; blocked by the finalizers example.dev/x",
      since: deletionTimestamp,
    },
  ]);
});

test("objects that may not be listed are unknown", async () => {
  const { wants, unknown } = await explain({ status: ready }, { forbidden: [deployments] });
  expect(wants).toBeUndefined();
  expect(unknown).toEqual([expect.stringMatching(/^Desired objects: /)]);
});

test("objects that depend on the head of a git source are known only to the operator", async () => {
  const source = { required: true, of: () => ({ url: "https://git.example.dev/shop" }) };
  const { wants, unknown } = await whyResource(aPodSet({ status: ready }) as never, {
    ...{ session: aSession({}), binding: { ...podSet, source }, nowMs: 0 },
    commands: someCommands,
    shapeOf: builtInShapeOf,
  });
  expect(wants).toBeUndefined();
  expect(unknown).toEqual(["Desired objects: only the operator knows the head of their source"]);
});

test("a spec that produces no valid objects is the wait", async () => {
  const { waits } = await explain({ spec: { size: "many" }, status: ready });
  expect(waits).toMatchObject([{ on: "SpecInvalid", message: expect.stringContaining("size") }]);
});

test("an expired resource has no desired objects, and waits until its declaration is removed", async () => {
  const expired = condition("Expired", "True", { reason: "DeclaredElsewhere", message: "declared by Helm" });
  const status = { ...ready, conditions: [...ready.conditions, expired] };
  const { wants, waits } = await explain({ status });
  expect(wants).toBeUndefined();
  expect(waits).toMatchObject([{ on: "DeclaredElsewhere", message: "declared by Helm" }]);
});

test.for([
  { gives: () => "5m", until: "the objects are ready; fails after 5m" },
  { gives: () => "soon", until: "the objects are ready" },
  { gives: undefined, until: "the objects are ready" },
])("objects that are not ready are waited for until $until", async ({ gives, until }) => {
  const progressing = condition("Healthy", "False", { reason: "Progressing", message: "0 of 1 ready" });
  const status = { ...ready, conditions: [progressing] };
  const binding = { ...podSet, policy: gives === undefined ? {} : { timeout: gives } };
  const { waits } = await whyResource(aPodSet({ status }) as never, {
    ...{ session: aSession({}), binding, nowMs: 0, commands: someCommands },
    shapeOf: builtInShapeOf,
  });
  expect(waits).toMatchObject([{ on: "Progressing", until }]);
});
