import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { customResourceDefinitionOf } from "../../crds/custom-resource-definition.ts";
import { defineKind } from "../../crds/kind.ts";
import { apiVersionOf } from "../../crds/object.ts";
import { refOf, releaseSource } from "../../crds/source.ts";
import { aNamespace, applyObjects, eventually, kubectl, readObject } from "./fixture.ts";

/** A kind with the source of a Release; the Release's own definition is shared with other tests. */
const Sourced = defineKind({
  group: "refs.tests.fairlead.dev",
  kind: "Sourced",
  plural: "sourceds",
  description: "Sourced has the source of a Release.",
  versions: [{ name: "v1alpha1", spec: z.object({ source: releaseSource }) }],
});
const type = "sourceds.refs.tests.fairlead.dev";
const url = "https://git.example.dev/shop.git";

type Schema = Record<string, unknown> & { properties: Record<string, Schema> };

/** The earlier definition: the API server stores a default branch. */
function formerDefinition(): object {
  const crd = structuredClone(customResourceDefinitionOf(Sourced)) as unknown as {
    spec: { versions: { schema: { openAPIV3Schema: Schema } }[] };
  };
  const ref =
    crd.spec.versions[0]?.schema.openAPIV3Schema.properties["spec"]?.properties["source"]?.properties["ref"];
  if (ref === undefined) throw new Error("the schema has no ref");
  const count = ["branch", "tag", "semver", "commit"]
    .map((name) => `(has(self.${name}) ? 1 : 0)`)
    .join(" + ");
  ref["default"] = { branch: "main" };
  ref["x-kubernetes-validations"] = [{ rule: `${count} == 1`, message: "exactly one of them must be set" }];
  return crd;
}

let namespace: string;
let removeNamespace: (() => Promise<void>) | undefined;

afterAll(async () => {
  await removeNamespace?.();
  await kubectl(["delete", "crd", type, "--ignore-not-found", "--wait=false"]);
});

function aSourced(name: string, ref?: object): object {
  const spec = { source: { url, ...(ref && { ref }) } };
  return { apiVersion: apiVersionOf(Sourced), kind: Sourced.kind, metadata: { name, namespace }, spec };
}

const patch = async (name: string, ref: object): Promise<string> =>
  await kubectl([
    "patch",
    type,
    name,
    "-n",
    namespace,
    "--type=merge",
    "-p",
    JSON.stringify({ spec: { source: { ref } } }),
  ]);

/** How users change a resource: the create command, and one that changes its ref from a field to another one. */
const ways = [
  {
    by: "kubectl apply",
    create: (name: string, ref?: object) => kubectl("apply -f -", { input: aSourced(name, ref) }),
    set: (name: string, ref: object) => kubectl("apply -f -", { input: aSourced(name, ref) }),
  },
  {
    by: "kubectl apply --server-side",
    create: (name: string, ref?: object) =>
      kubectl("apply --server-side -f -", { input: aSourced(name, ref) }),
    set: (name: string, ref: object) => kubectl("apply --server-side -f -", { input: aSourced(name, ref) }),
  },
  {
    by: "kubectl apply, then kubectl apply --server-side",
    create: (name: string, ref?: object) => kubectl("apply -f -", { input: aSourced(name, ref) }),
    set: (name: string, ref: object) => kubectl("apply --server-side -f -", { input: aSourced(name, ref) }),
  },
  {
    by: "kubectl edit",
    create: (name: string, ref?: object) => kubectl("create -f -", { input: aSourced(name, ref) }),
    // It sends removed fields as null.
    set: (name: string, ref: object) => patch(name, { branch: null, tag: null, semver: null, ...ref }),
  },
] as const;

/** The folder of the source, as the operator reads it. */
async function refNow(name: string): Promise<object> {
  const live = await readObject<{ spec: { source: { ref?: object } } }>(type, name, namespace);
  return refOf(live?.spec.source ?? {});
}

describe("the ref of a Release", () => {
  beforeAll(async () => {
    namespace = await aNamespace({
      prefix: "refs",
      onEnd: (remove) => {
        removeNamespace = remove;
      },
    });
    await applyObjects(formerDefinition());
    await kubectl(["wait", "--for=condition=Established", "--timeout=180s", `crd/${type}`]);
    await eventually(
      () => kubectl("create --dry-run=server -f -", { input: aSourced("probe") }).then((out) => out !== ""),
      { what: "the former definition is served" },
    );
    for (const [index, { create }] of ways.entries()) {
      await create(`former-${index}`);
      expect(await readObject(type, `former-${index}`, namespace)).toMatchObject({
        spec: { source: { ref: { branch: "main" } } },
      });
    }
    await create("patched");
    const current = customResourceDefinitionOf(Sourced);
    await kubectl("replace -f -", {
      input: { ...current, metadata: { ...current.metadata, ...(await versionOf()) } },
    });
    await eventually(
      async () => {
        const out = await kubectl("create --dry-run=server -o json -f -", { input: aSourced("probe") });
        return !out.includes('"branch"');
      },
      { what: "the current definition is served" },
    );
  });

  const create = (name: string) => kubectl("create -f -", { input: aSourced(name) });
  const versionOf = async () => ({
    resourceVersion: (await readObject("crd", type))?.metadata.resourceVersion,
  });

  test("is not stored if the spec has none, and defaults to the branch main", async () => {
    await create("plain");
    const live = await readObject<{ spec: { source: object } }>(type, "plain", namespace);
    expect(live?.spec.source).toEqual({ url, path: "." });
    expect(await refNow("plain")).toEqual({ branch: "main" });
  });

  const origins = [
    { from: "the default of today", prefix: "today", ref: undefined },
    { from: "a default that was stored", prefix: "former", ref: undefined },
    { from: "a branch of one's own", prefix: "own", ref: { branch: "main" } },
  ];
  const moves = ways.flatMap((way, index) =>
    origins.map(({ prefix, ...origin }) => ({ ...way, ...origin, prefix, name: `${prefix}-${index}` })),
  );
  test.for(moves)("changes by $by from $from to a tag, a range and a branch", async (move) => {
    const { name, prefix, ref, set } = move;
    if (prefix !== "former") await move.create(name, ref);
    for (const next of [{ tag: "v1" }, { tag: "v2" }, { semver: "1.x" }, { branch: "next" }, { tag: "v3" }]) {
      await set(name, next);
      expect(await refNow(name)).toEqual(next);
    }
  });

  test("changes by a patch with only the tag, if the default was stored", async () => {
    await patch("patched", { tag: "v1" });
    expect(await refNow("patched")).toEqual({ tag: "v1" });
  });

  test("is a Pipeline only with a stage, and no other ref has one", async () => {
    const createWith = (name: string, ref: object) => kubectl("create -f -", { input: aSourced(name, ref) });
    const whole = { pipeline: "shop", stage: "prod", namespace: "platform" };
    await createWith("staged", whole);
    expect(await refNow("staged")).toEqual(whole);
    for (const ref of [{ pipeline: "shop" }, { stage: "prod" }, { tag: "v1", stage: "prod" }])
      await expect(createWith("unstaged", ref)).rejects.toThrow(/pipeline needs stage|exactly one of/);
    const far = { tag: "v1", namespace: "platform" };
    await expect(createWith("unstaged", far)).rejects.toThrow(
      /only with pipeline may stage, namespace be set/,
    );
  });

  test("cannot have two values", async () => {
    const both = { branch: "main", tag: "v1" };
    await expect(kubectl("create -f -", { input: aSourced("both", both) })).rejects.toThrow(/exactly one of/);
    await create("other");
    await patch("other", { branch: "next" });
    await expect(patch("other", { tag: "v1" })).rejects.toThrow(/exactly one of/);
  });
});
