import { describe, expect, test } from "vitest";
import { ApiClient } from "../../../../cli/release/api-client.ts";
import { compareRelease } from "../../../../cli/release/diff/compare-release.ts";
import { findOwned } from "../../../../cli/release/diff/find-owned.ts";
import type { KnownKinds } from "../../../../cli/release/read-kinds.ts";
import { ConfigMap, CustomResourceDefinition, Job, Namespace } from "../../../../crds/core-kinds.ts";
import {
  apiVersionOf,
  type CustomResource,
  type LiveObject,
  type ObjectKind,
} from "../../../../crds/object.ts";
import { toLiveObject } from "../../../../operator/cluster/live-object.ts";
import { prepareManifests } from "../../../../operator/desire/release/prepare-manifests.ts";
import { builtInShapeOf } from "../../../../operator/engine/kind-shapes.ts";
import { ApiUnavailableError, ObjectRejectedError } from "../../../../operator/errors.ts";
import { idOf, type Manifest, stamps } from "../../../../synth/manifest.ts";
import { aRelease } from "../a-release.ts";
import { FakeApi } from "../fake-api.ts";

const known: readonly ObjectKind[] = [ConfigMap, CustomResourceDefinition, Job, Namespace];
const kinds: KnownKinds = {
  find: (apiVersion, kind) => known.find((one) => one.kind === kind && apiVersionOf(one) === apiVersion),
  findGroupKind: (group, kind) => known.find((one) => one.kind === kind && one.group === group),
  explain: (_, kind) => ({ message: `the cluster has no ${kind}` }),
};
const release = aRelease();
const resource = toLiveObject({
  ...release,
  metadata: { ...release.metadata, resourceVersion: "1" },
}) as CustomResource<typeof release.spec, never>;

const aConfigMap = (name: string, data: object = {}): Manifest => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  data,
});

interface World {
  readonly live?: readonly LiveObject[];
  /** The error of an apply of an object with this name. */
  readonly errors?: Readonly<Record<string, Error>>;
  readonly finished?: readonly string[];
  readonly coming?: ReadonlySet<string>;
}

async function compare(manifests: readonly Manifest[], { live = [], errors = {}, ...more }: World = {}) {
  const origins = manifests.map(({ metadata }) => metadata.name);
  const prepared = prepareManifests({ manifests, origins, dependencies: new Map() }, resource, kinds);
  const applied: string[] = [];
  const cluster = {
    read: async ({
      kind,
      namespace,
      name,
    }: {
      kind: ObjectKind;
      namespace: string | undefined;
      name: string;
    }) =>
      live.find(
        (one) => one.kind === kind.kind && one.metadata.name === name && one.metadata.namespace === namespace,
      ),
    apply: async (_: ObjectKind, manifest: Manifest) => {
      const error = errors[manifest.metadata.name];
      if (error !== undefined) throw error;
      applied.push(manifest.metadata.name);
      // Like a server that fills in a default.
      return asLive({ ...manifest, defaulted: true });
    },
  };
  const parts = { cluster, kinds, shapeOf: builtInShapeOf };
  const changes = await compareRelease({ resource, prepared, ...parts, ...more });
  return {
    changes: changes.map(({ action, id, note }) => ({ action, id, note })),
    diffs: changes.map(({ diff }) => diff),
    applied,
    prepared,
  };
}

function asLive(object: Manifest, { ours = true } = {}): LiveObject {
  return {
    ...object,
    metadata: { ...object.metadata, uid: `uid-${object.metadata.name}`, resourceVersion: "1" },
    ours,
  };
}

/** An object as this Release applied it. */
async function deployed(manifest: Manifest): Promise<LiveObject> {
  const { prepared } = await compare([manifest]);
  const [object] = prepared.objects;
  if (object === undefined) throw new Error("nothing is prepared");
  return asLive(object.manifest);
}

describe("compareRelease()", () => {
  test("sends what the operator would send, and shows the server's result", async () => {
    const live = [
      await deployed(aConfigMap("same", { a: "1" })),
      await deployed(aConfigMap("other", { a: "1" })),
    ];
    const wanted = [aConfigMap("same", { a: "1" }), aConfigMap("other", { a: "2" }), aConfigMap("new")];
    const { changes, diffs, applied } = await compare(wanted, { live });
    expect(changes.map(({ action, id }) => `${action} ${id}`).toSorted()).toEqual([
      "change /ConfigMap/shop/other",
      "create /ConfigMap/shop/new",
      "unchanged /ConfigMap/shop/same",
    ]);
    expect(applied.toSorted()).toEqual(["new", "other"]);
    expect(diffs.join("")).toContain('-  a: "1"\n+  a: "2"\n+defaulted: true\n');
  });

  test("does not change an object of another owner, and names the owner", async () => {
    const metadata = {
      name: "web",
      namespace: "shop",
      annotations: { [stamps.owner]: "releases.fairlead.dev/shop/api" },
    };
    const live = [asLive({ ...aConfigMap("web"), metadata })];
    const { changes, applied } = await compare([aConfigMap("web")], { live });
    const note = "it belongs to releases.fairlead.dev/shop/api and would not be changed (NotOwned)";
    expect(changes).toEqual([{ action: "refused", id: "/ConfigMap/shop/web", note }]);
    expect(applied).toEqual([]);
  });

  test("reports what cannot be checked because it is part of the same Release", async () => {
    const definition: Manifest = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "things.example.dev" },
      spec: {
        group: "example.dev",
        scope: "Namespaced",
        names: { kind: "Thing", plural: "things" },
        versions: [{ name: "v1" }],
      },
    };
    const thing = { apiVersion: "example.dev/v1", kind: "Thing", metadata: { name: "one" } };
    const there = { ...aConfigMap("web"), metadata: { name: "web", namespace: "new" } };
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "new" } };
    const missing = new ApiUnavailableError("no namespace", { status: 404 });
    const { changes } = await compare([thing, definition, there, namespace], { errors: { web: missing } });
    expect(changes).toContainEqual({
      action: "create",
      id: "example.dev/Thing/shop/one",
      note: "not checked: its kind comes with this Release",
    });
    expect(changes).toContainEqual({
      action: "create",
      id: "/ConfigMap/new/web",
      note: "not checked: its namespace comes with this Release",
    });
    expect(changes.map(({ action }) => action)).not.toContain("refused");
  });

  test("creates what is in a namespace of the same file, and refuses what is in no namespace", async () => {
    const there = { ...aConfigMap("web"), metadata: { name: "web", namespace: "new" } };
    const missing = new ApiUnavailableError("no namespace", { status: 404 });
    const errors = { web: missing };
    const { changes } = await compare([there], { errors, coming: new Set(["new"]) });
    expect(changes).toMatchObject([
      { action: "create", note: "not checked: its namespace comes with this file" },
    ]);
    const { changes: others } = await compare([there], { errors, coming: new Set(["other"]) });
    expect(others).toMatchObject([{ action: "refused" }]);
  });

  test("reports a rejection of the API server, with its message, and continues with the others", async () => {
    const errors = {
      bad: new ObjectRejectedError("/ConfigMap/shop/bad", "data: not a map"),
      away: new ApiUnavailableError("away", { status: 403 }),
    };
    const unknown = { apiVersion: "nope.dev/v1", kind: "Nope", metadata: { name: "n" } };
    const { changes } = await compare([aConfigMap("bad"), aConfigMap("away"), aConfigMap("good"), unknown], {
      errors,
    });
    expect(new Map(changes.map(({ id, action, note }) => [id, [action, note]]))).toEqual(
      new Map([
        ["/ConfigMap/shop/bad", ["refused", 'Cannot apply "/ConfigMap/shop/bad": data: not a map']],
        ["/ConfigMap/shop/away", ["refused", "away"]],
        ["/ConfigMap/shop/good", ["create", undefined]],
        ["nope.dev/Nope//n", ["refused", "the cluster has no Nope"]],
      ]),
    );
  });

  test("does not run a finished object again that was deleted after its time to live", async () => {
    const aJob: Manifest = {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: "job" },
      spec: { ttlSecondsAfterFinished: 1, template: { spec: { restartPolicy: "Never", containers: [] } } },
    };
    const { metadata } = await deployed(aJob);
    const finished = [`batch/Job/shop/job ${metadata.annotations?.[stamps.digest]}`];
    const { changes, applied } = await compare([aJob], { finished });
    expect(changes.map(({ action }) => action)).toEqual(["unchanged"]);
    expect(applied).toEqual([]);
  });

  test("shows what would be recreated", async () => {
    const aJob = (image: string): Manifest => ({
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: "job" },
      spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "job", image }] } } },
    });
    const { changes, applied } = await compare([aJob("b")], { live: [await deployed(aJob("a"))] });
    expect(changes).toEqual([
      {
        action: "replace",
        id: "batch/Job/shop/job",
        note: "it would be deleted and recreated: it has a changed immutable field",
      },
    ]);
    expect(applied).toEqual([]);
  });
});

describe("findOwned()", () => {
  test("finds the recorded objects, only in its namespaces if not all may be listed", async () => {
    const entries = ["/ConfigMap/other/b", "/ConfigMap/shop/a", "example.dev/Gone/shop/c"];
    const recorded = aRelease({ status: { inventory: { entries } } as never });
    const { prepared } = await compare([]);
    const objects = {
      "/api/v1/namespaces/shop/configmaps/a": {
        ...aConfigMap("a"),
        metadata: { name: "a", namespace: "shop", uid: "a" },
      },
      "/api/v1/namespaces/other/configmaps/b": {
        ...aConfigMap("b"),
        metadata: { name: "b", namespace: "other", uid: "b" },
      },
      "/api/v1/namespaces/other/configmaps/planted": {
        ...aConfigMap("planted"),
        metadata: { name: "planted", namespace: "other", uid: "planted" },
      },
    };
    const api = new FakeApi(objects, { forbidden: ["/api/v1/configmaps"] });
    const owned = await findOwned(recorded, prepared.set, { client: new ApiClient(api), kinds });
    expect(owned.map(({ live }) => idOf(live))).toEqual(["/ConfigMap/other/b", "/ConfigMap/shop/a"]);
    expect(
      api.requests.every(({ path }) => path.includes("labelSelector=fairlead.dev%2Fset%3Dapplyset-")),
    ).toBe(true);
  });
});
