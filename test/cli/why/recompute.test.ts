import { describe, expect, test } from "vitest";
import { recompute } from "../../../cli/why/recompute.ts";
import type { LiveObject, ObjectKind } from "../../../crds/object.ts";
import type { DesiredObject } from "../../../operator/engine/desired-set.ts";
import { builtInShapeOf } from "../../../operator/engine/kind-shapes.ts";
import { ApiUnavailableError, ObjectRejectedError } from "../../../operator/errors.ts";
import { idOf, type Manifest, stamps } from "../../../synth/manifest.ts";
import { aManifest, anOwner, asLive } from "../../fakes/owned-objects.ts";
import { aDesiredSet } from "../../fakes/plans.ts";
import { someCommands } from "./a-session.ts";

interface World {
  readonly there?: readonly LiveObject[];
  /** The error of a read or an apply. */
  readonly readError?: Error;
  readonly applyError?: Error;
  /** The API server's response to an apply. */
  readonly answer?: (manifest: Manifest) => LiveObject;
  readonly needs?: readonly string[];
}

async function explain(
  manifests: readonly Manifest[],
  { there = [], readError, applyError, answer = (manifest) => asLive(manifest), needs = [] }: World = {},
) {
  const set = aDesiredSet(manifests);
  const last = set.objects.length - 1;
  const objects = set.objects.map(
    (object, index): DesiredObject => (index === last ? { ...object, needs } : object),
  );
  const applied: string[] = [];
  const found = await recompute({
    resource: anOwner(),
    shapeOf: builtInShapeOf,
    desired: { ...set, objects },
    cluster: {
      read: async ({ name }: { readonly name: string }) => {
        if (readError !== undefined) throw readError;
        return there.find(({ metadata }) => metadata.name === name);
      },
      apply: async (_: ObjectKind, manifest: Manifest) => {
        if (applyError !== undefined) throw applyError;
        applied.push(manifest.metadata.name);
        return answer(manifest);
      },
    },
    assess: () => ({ status: "Current", reason: "Current", message: "" }),
    commands: someCommands,
  });
  return { ...found, applied, steps: found.steps.map(({ does, reason }) => `${does}: ${reason}`) };
}

const config = aManifest({ fields: { data: { a: "1" } } });
const live = asLive(config);
const drifted = { ...live, data: { a: "2" } };
const forbidden = new ApiUnavailableError('Cannot read "x": user "ann" may not get it', { status: 403 });

describe("what the operator would do, from the objects that a user may read", () => {
  test.for<{
    readonly object: string;
    readonly world?: World;
    readonly steps: readonly string[];
    readonly unknown?: readonly string[];
    readonly unread?: number;
    readonly next?: readonly unknown[];
  }>([
    { object: "is as it should be", world: { there: [live] }, steps: [] },
    { object: "is not there", steps: ["create: it does not exist"] },
    { object: "was changed", world: { there: [drifted] }, steps: ["apply: data.a was changed"] },
    {
      object: "is rewritten by a webhook each time",
      world: { there: [drifted], answer: () => drifted },
      steps: ["keep: data.a differs from the manifest, and applying does not change it"],
    },
    {
      object: "is refused by the API server",
      world: { applyError: new ObjectRejectedError(idOf(config), "its port is taken") },
      steps: [`refused: the API server rejects it: Cannot apply "${idOf(config)}": its port is taken`],
    },
    {
      object: "is in a namespace that comes with it",
      world: { applyError: new ApiUnavailableError("not found", { status: 404 }) },
      steps: ["create: it does not exist"],
    },
    {
      object: "may not be read",
      world: { readError: forbidden },
      steps: [],
      unknown: ['Cannot read ConfigMap shop/web: user "ann" may not get it'],
      unread: 1,
    },
    {
      object: "may not be applied by this user",
      world: { applyError: forbidden },
      steps: ["create: it does not exist"],
      unknown: ['Cannot try to apply ConfigMap shop/web: user "ann" may not get it'],
    },
    {
      object: "belongs to another owner",
      world: { there: [{ ...live, ours: false, metadata: { ...live.metadata, ownerReferences: [] } }] },
      steps: ["hold: it belongs to another owner, so it is not changed"],
      next: [
        expect.stringMatching(
          /^kubectl annotate configmap web -n shop fairlead\.dev\/adopt-by=echo\/web --kubeconfig=\/tmp\/kube {3}#/,
        ),
      ],
    },
    {
      object: "has another controller",
      world: {
        there: [
          {
            ...live,
            ours: false,
            metadata: {
              ...live.metadata,
              ownerReferences: [
                { apiVersion: "apps/v1", kind: "Deployment", name: "web", uid: "2", controller: true },
              ],
            },
          },
        ],
      },
      steps: ["hold: it belongs to Deployment shop/web, so it is not changed"],
      next: ["remove ConfigMap shop/web from Deployment shop/web, or rename yours (docs/conditions.md)"],
    },
    {
      object: "waits for another one",
      world: { needs: ["/ConfigMap/shop/a"] },
      steps: ["hold: ConfigMap shop/web waits for ConfigMap shop/a: it is not applied yet"],
    },
  ])("with an object that $object", async ({ world, steps, unknown = [], unread = 0, next = [] }) => {
    const found = await explain([config], world);
    expect(found.steps).toEqual(steps);
    expect(found).toMatchObject({ unknown, unread, next });
  });

  test("sends as a dry run what the operator would send, and nothing for unchanged objects", async () => {
    const other = aManifest({ name: "other" });
    const { applied } = await explain([config, other], { there: [live] });
    expect(applied).toEqual(["other"]);
  });

  test("does not hide that the API server is unavailable", async () => {
    const away = new ApiUnavailableError("no answer", { status: 503 });
    await expect(explain([config], { readError: away })).rejects.toThrow("no answer");
    await expect(explain([config], { applyError: away })).rejects.toThrow("no answer");
  });

  test("contains the namespace of the new owner of an object that is handed over", async () => {
    const elsewhere = aManifest({
      metadata: { ...config.metadata, namespace: "other", ownerReferences: [] },
    });
    const there = { ...asLive(elsewhere), ours: false };
    const { labels: _, ...metadata } = there.metadata;
    const { next } = await explain([elsewhere], { there: [{ ...there, metadata }] });
    expect(next[0]).toContain(`-n other ${stamps.adoptBy}=echo/shop/web`);
  });
});
