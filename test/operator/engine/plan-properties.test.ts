import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { LiveObject } from "../../../crds/object.ts";
import { applyStageOf } from "../../../operator/engine/apply-stage.ts";
import { covers } from "../../../operator/engine/covers.ts";
import { builtInShapeOf } from "../../../operator/engine/kind-shapes.ts";
import { digestOf, toCanonicalJson } from "../../../synth/digest.ts";
import { idOf, type Manifest, type ObjectId, stamps } from "../../../synth/manifest.ts";
import { sortForApply } from "../../../synth/order.ts";
import { aManifest, set } from "../../fakes/owned-objects.ts";
import { planOf, prunedOf } from "../../fakes/plans.ts";

/** A server with one field manager: what is applied is merged in, and every object gets something of the server's own. */
class ModelServer {
  readonly objects = new Map<ObjectId, LiveObject>();
  #made = 0;

  apply(manifest: Manifest): void {
    const id = idOf(manifest);
    const there = this.objects.get(id);
    const metadata = { ...there?.metadata, ...manifest.metadata };
    const uid = there?.metadata.uid ?? `uid-${this.#made++}`;
    const merged = { serverSide: "filled in", ...there, ...structuredClone(manifest) };
    this.objects.set(id, {
      ...merged,
      metadata: { ...metadata, uid, resourceVersion: `${this.#made++}` },
      ours: true,
    });
  }
}

const kinds = {
  Namespace: "v1",
  ConfigMap: "v1",
  Job: "batch/v1",
  Service: "v1",
  Widget: "example.dev/v1",
} as const;

interface Wish {
  readonly kind: keyof typeof kinds;
  readonly name: string;
  readonly value: number;
}

/** A chart's intent for one object. */
const wish: fc.Arbitrary<Wish> = fc.record({
  kind: fc.constantFrom(...(Object.keys(kinds) as (keyof typeof kinds)[])),
  name: fc.constantFrom("a", "b", "c"),
  value: fc.integer({ min: 0, max: 2 }),
});
const wishes = fc.uniqueArray(wish, { selector: ({ kind, name }) => `${kind}/${name}`, maxLength: 8 });

/** The stamped manifests of a generation of the resource, in apply order. */
function manifestsOf(wanted: readonly Wish[], generation: number): readonly Manifest[] {
  const made = wanted.map(({ kind, name, value }) => {
    const spec = kind === "Job" ? { template: { spec: { value } } } : { value };
    const digest = digestOf(toCanonicalJson([kind, name, value]));
    const stamp = kind === "Job" ? { generation } : {};
    return aManifest({ apiVersion: kinds[kind], kind, name, digest, ...stamp, fields: { spec } });
  });
  return sortForApply(made);
}

function plan(desired: readonly Manifest[], server: ModelServer) {
  const made = planOf(desired, { observed: (id) => server.objects.get(id) });
  const owned = [...server.objects.values()].filter(({ metadata }) => metadata.labels?.[stamps.set] === set);
  const { apply, keep, replace, waiting, leftBehind, blocked, isComplete } = made;
  return { apply, keep, replace, waiting, leftBehind, blocked, isComplete, prune: prunedOf(desired, owned) };
}

/** One reconcile as the engine does it; deletions take effect at once. */
function reconcile(desired: readonly Manifest[], server: ModelServer): void {
  const { apply, replace, prune, isComplete } = plan(desired, server);
  for (const { manifest } of apply.flat()) server.apply(manifest);
  for (const live of [...replace, ...(isComplete ? prune : [])]) server.objects.delete(idOf(live));
}

/** Enough reconciles: a Job that is replaced is created by the second one, and namespaces are waited for. */
function settle(desired: readonly Manifest[], server: ModelServer): void {
  for (let run = 0; run < 4; run++) reconcile(desired, server);
}

describe("planChanges(), for any previous state,", () => {
  test("keeps all objects and prunes none after the plan was executed", () => {
    fc.assert(
      fc.property(fc.array(wishes, { minLength: 1, maxLength: 4 }), (history) => {
        const server = new ModelServer();
        for (const [generation, wanted] of history.entries()) settle(manifestsOf(wanted, generation), server);
        const desired = manifestsOf(history.at(-1) ?? [], history.length - 1);
        const { keep, ...rest } = plan(desired, server);
        const nothing = { apply: [], replace: [], waiting: [], leftBehind: [], blocked: [], prune: [] };
        expect(rest).toEqual({ ...nothing, isComplete: true });
        expect(keep.map(idOf)).toEqual(desired.map(idOf));
        expect(new Set(server.objects.keys())).toEqual(new Set(desired.map(idOf)));
      }),
    );
  });

  test("an upgrade without an edit of the resource deletes only objects that are no longer desired", () => {
    fc.assert(
      fc.property(wishes, wishes, (before, afterwards) => {
        const server = new ModelServer();
        settle(manifestsOf(before, 1), server);
        const uids = new Map([...server.objects].map(([id, { metadata }]) => [id, metadata.uid]));
        const desired = manifestsOf(afterwards, 1);
        settle(desired, server);
        for (const id of desired.map(idOf)) {
          const uid = uids.get(id);
          if (uid !== undefined) expect(server.objects.get(id)?.metadata.uid).toBe(uid);
        }
        expect(plan(desired, server).keep).toHaveLength(desired.length);
      }),
    );
  });

  test("puts every desired object into one list, in apply order, and the other owned objects into prune", () => {
    const object = fc.record({
      wish,
      isOurs: fc.boolean(),
      isLeaving: fc.boolean(),
      isDrifted: fc.boolean(),
    });
    fc.assert(
      fc.property(wishes, fc.array(object, { maxLength: 8 }), (wanted, there) => {
        const server = new ModelServer();
        for (const { wish: one, isOurs, isLeaving, isDrifted } of there) {
          for (const manifest of manifestsOf([one], 1)) {
            server.apply(manifest);
            const live = server.objects.get(idOf(manifest)) as LiveObject;
            const metadata = {
              ...live.metadata,
              ...(!isOurs && { labels: {}, ownerReferences: [] }),
              ...(isLeaving && { deletionTimestamp: "2026-01-01T00:00:00Z" }),
            };
            server.objects.set(idOf(manifest), {
              ...live,
              ...(isDrifted && { spec: {} }),
              metadata,
              ours: isOurs,
            });
          }
        }
        const desired = manifestsOf(wanted, 1);
        const ids = new Set(desired.map(idOf));
        const { apply, keep, replace, waiting, blocked, prune } = plan(desired, server);

        const steps = apply.flat();
        const placed = [
          ...steps.map(({ manifest }) => idOf(manifest)),
          ...[...keep, ...replace, ...waiting].map(idOf),
          ...blocked.map(({ object }) => object.id),
        ];
        expect(placed.toSorted()).toEqual([...ids].toSorted());
        const stages = steps.map(({ manifest }) => applyStageOf(manifest));
        expect(stages).toEqual(stages.toSorted());

        const orphans = [...server.objects.values()].filter(
          (live) => live.ours && !ids.has(idOf(live)) && live.metadata.deletionTimestamp === undefined,
        );
        expect(prune.map(idOf).toSorted()).toEqual(orphans.map(idOf).toSorted());
        expect(prune.map(applyStageOf)).toEqual(prune.map(applyStageOf).toSorted().toReversed());
      }),
    );
  });
});

describe("covers(), for any object,", () => {
  const leaf = fc.oneof(fc.string({ minLength: 1 }), fc.integer({ min: 1 }), fc.constant(true));
  const spec = fc.letrec<{ node: unknown; map: Record<string, unknown> }>((tie) => ({
    node: fc.oneof({ maxDepth: 3 }, leaf, fc.array(leaf, { maxLength: 3 }), tie("map")),
    map: fc.dictionary(fc.constantFrom("a", "b", "c", "d"), tie("node"), { noNullPrototype: true }),
  })).map;
  const widget = (content: Record<string, unknown>) =>
    aManifest({ apiVersion: "example.dev/v1", kind: "Widget", fields: { spec: content } });

  test("an object covers itself", () => {
    fc.assert(
      fc.property(spec, (content) => {
        expect(covers(widget(content), structuredClone(widget(content)), builtInShapeOf)).toBe(true);
      }),
    );
  });

  test("an object covers itself when others add fields to its maps", () => {
    fc.assert(
      fc.property(spec, (content) => {
        expect(covers(widget(content), widget(grown(content)), builtInShapeOf)).toBe(true);
      }),
    );
  });

  test("an object does not cover itself when any of its values is changed or removed", () => {
    fc.assert(
      fc.property(spec, fc.nat(), fc.boolean(), (content, pick, isGone) => {
        const paths = leavesOf(content);
        const path = paths[pick % Math.max(1, paths.length)];
        fc.pre(path !== undefined);
        expect(covers(widget(content), widget(edited(content, path, isGone)), builtInShapeOf)).toBe(false);
      }),
    );
  });
});

type Json = Record<string, unknown>;
const isMap = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function grown(content: Json): Json {
  const entries = Object.entries(content).map(([name, value]) => [name, isMap(value) ? grown(value) : value]);
  return { ...Object.fromEntries(entries), added: "by others" };
}

/** Paths of all plain values, and of lists that are not empty. */
function leavesOf(content: Json): readonly (readonly string[])[] {
  return Object.entries(content).flatMap(([name, value]) => {
    if (isMap(value)) return leavesOf(value).map((rest) => [name, ...rest]);
    return Array.isArray(value) && value.length === 0 ? [] : [[name]];
  });
}

function edited(content: Json, [name = "", ...rest]: readonly string[], isGone: boolean): Json {
  const { [name]: value, ...others } = content;
  if (rest.length > 0 && isMap(value)) return { ...others, [name]: edited(value, rest, isGone) };
  return isGone ? others : { ...others, [name]: ["another value", value] };
}
