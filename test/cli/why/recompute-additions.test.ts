import { describe, expect, test } from "vitest";
import { findRemovals, recomputeAdditions } from "../../../cli/why/recompute-additions.ts";
import type { LiveObject } from "../../../crds/object.ts";
import { Release } from "../../../crds/release.ts";
import { builtInShapeOf } from "../../../operator/engine/kind-shapes.ts";
import { ApiUnavailableError, ObjectRejectedError } from "../../../operator/errors.ts";
import type { Addition } from "../../../synth/manifest.ts";
import { addedBy, withFieldsOf } from "../../fakes/added-fields.ts";
import { aPinningKind, aSoughtRelease } from "../../fakes/pinning-kind.ts";
import { aResource } from "../../fakes/resources.ts";

const fieldManager = "fairlead/gadgets.example.dev/shop/web";
const pin = (name: string): Addition => ({
  manifest: {
    apiVersion: "fairlead.dev/v1alpha1",
    kind: "Release",
    metadata: { name, namespace: "shop" },
    spec: { revision: "one" },
  },
  kind: Release,
  selector: undefined,
  fields: ["spec.revision"],
  fieldManager,
});
const theirs = aSoughtRelease("a");
const pinned = addedBy(theirs, fieldManager, { spec: { revision: "one" } });
const forbidden = new ApiUnavailableError('Cannot read "x": user "ann" may not get it', { status: 403 });

interface World {
  readonly there?: readonly LiveObject[];
  readonly readError?: Error;
  readonly addError?: Error;
  /** Rewrites the result of an addition, as an admission webhook does. */
  readonly rewrite?: (live: LiveObject) => LiveObject;
}

async function explain(additions: readonly Addition[], world: World = {}) {
  const { there = [], readError, addError, rewrite = (live) => live } = world;
  const sent: string[] = [];
  const found = await recomputeAdditions({
    additions,
    removals: [],
    shapeOf: builtInShapeOf,
    cluster: {
      read: async ({ name }) => {
        if (readError !== undefined) throw readError;
        return there.find(({ metadata }) => metadata.name === name);
      },
      add: async (addition) => {
        sent.push(addition.manifest.metadata.name);
        if (addError !== undefined) throw addError;
        const live = there.find(({ metadata }) => metadata.name === addition.manifest.metadata.name);
        return rewrite(withFieldsOf(live as LiveObject, addition));
      },
    },
  });
  return { ...found, sent };
}

describe("what the operator would add to objects of other owners", () => {
  test("is nothing for a resource that adds nothing", async () => {
    expect(await explain([])).toMatchObject({ additions: undefined, unknown: [] });
  });

  test.for<{ readonly object: string; readonly world: World; readonly steps: readonly object[] }>([
    { object: "has the fields", world: { there: [pinned] }, steps: [] },
    {
      object: "lacks a field",
      world: { there: [theirs] },
      steps: [{ does: "extend", reason: "spec.revision is missing or has another value" }],
    },
    {
      object: "does not exist",
      world: {},
      steps: [{ does: "hold", reason: "it does not exist, so nothing is added to it" }],
    },
    {
      object: "refuses the field",
      world: { there: [theirs], addError: new ObjectRejectedError("x", 'conflict with "kubectl"') },
      steps: [{ does: "refused", reason: expect.stringContaining('conflict with "kubectl"') }],
    },
    {
      object: "gets another value from a webhook each time",
      world: { there: [theirs], rewrite: () => theirs },
      steps: [{ does: "keep", reason: expect.stringContaining("applying does not change it") }],
    },
  ])("of an object that $object", async ({ world, steps }) => {
    const { additions, unknown } = await explain([pin("a")], world);
    const pending = steps.filter((step) => !("does" in step && step.does === "keep")).length;
    expect(additions).toMatchObject({ objects: 1, unread: 0, pending, steps });
    expect(additions?.steps).toHaveLength(steps.length);
    expect(unknown).toEqual([]);
  });

  test("is unknown if the user may not read an object, or not apply the addition", async () => {
    const unread = await explain([pin("a")], { readError: forbidden });
    expect(unread.additions).toMatchObject({ objects: 1, unread: 1, pending: 0, steps: [] });
    expect(unread.unknown).toEqual(['Cannot read Release shop/a: user "ann" may not get it']);
    const untried = await explain([pin("a")], { there: [theirs], addError: forbidden });
    expect(untried.additions).toMatchObject({ pending: 1 });
    expect(untried.unknown).toEqual(['Cannot try to add to Release shop/a: user "ann" may not get it']);
  });

  test("sends nothing for additions that are in place", async () => {
    expect((await explain([pin("a")], { there: [pinned] })).sent).toEqual([]);
  });

  test("is the removal of fields that the resource no longer sets", async () => {
    const kind = aPinningKind();
    const list = async () => [pinned, aSoughtRelease("b")];
    const removals = await findRemovals(aResource(kind), {
      binding: kind as never,
      additions: [],
      client: { list } as never,
    });
    expect(removals.map(({ live }) => live.metadata.name)).toEqual(["a"]);
    const cluster = { read: async () => undefined, add: async () => theirs };
    const { additions } = await recomputeAdditions({
      additions: [],
      removals,
      cluster,
      shapeOf: builtInShapeOf,
    });
    expect(additions).toMatchObject({ objects: 0, pending: 0, steps: [{ does: "reduce" }] });
    const named = { binding: kind as never, additions: [pin("a")], client: { list } as never };
    expect(await findRemovals(aResource(kind), named)).toEqual([]);
  });
});
