import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { LiveObject } from "../../../../crds/object.ts";
import { Release } from "../../../../crds/release.ts";
import { toCanonicalJson } from "../../../../synth/digest.ts";
import type { Manifest } from "../../../../synth/manifest.ts";
import { made, next } from "../../../fakes/planned-bench.ts";
import { ReleaseBench } from "../../../fakes/release-bench.ts";
import { aCommit, aRelease, aSourceManifest } from "../../../fakes/releases.ts";
import { limitRuns } from "../../../long.ts";

const secret = (value: number): string => Buffer.from(`password-${value}`).toString("base64");
/** What objects of these kinds are made of, by a number. */
const fieldsOf: Readonly<Record<string, (value: number) => Record<string, unknown>>> = {
  "v1/ConfigMap": (value) => ({ data: { x: String(value) } }),
  "v1/Secret": (value) => ({ data: { password: secret(value) } }),
  "v1/PersistentVolumeClaim": (value) => ({ spec: { resources: { requests: { storage: `${value}Gi` } } } }),
  "apps/v1/Deployment": (value) => ({
    spec: { replicas: 0, template: { spec: { containers: [{ name: "c", image: `web:${value}` }] } } },
  }),
  // Its template cannot be changed.
  "batch/v1/Job": (value) => ({
    spec: { template: { spec: { containers: [{ name: "c", image: `job:${value}` }] } } },
  }),
};

const wish = fc.record({
  type: fc.constantFrom(...Object.keys(fieldsOf)),
  name: fc.constantFrom("a", "b", "c"),
  value: fc.integer({ min: 1, max: 2 }),
});
/** The manifests of a commit: each object once. */
const commit = fc
  .uniqueArray(wish, { maxLength: 8, selector: ({ type, name }) => `${type} ${name}` })
  .map((wishes) =>
    wishes.map(({ type, name, value }): Manifest => {
      const [kind = "", ...version] = type.split("/").toReversed();
      return aSourceManifest(version.toReversed().join("/"), kind, name, {
        fields: fieldsOf[type]?.(value) ?? {},
      });
    }),
  );

/** The objects of the Release, with what tells one from another of the same name. */
function objectsOf(bench: ReleaseBench): ReadonlyMap<string, LiveObject> {
  return new Map([...bench.cluster.objects].filter(([, { kind }]) => kind !== Release.kind));
}

/** What was done to each object. */
function compare(
  before: ReadonlyMap<string, LiveObject>,
  after: ReadonlyMap<string, LiveObject>,
): Record<string, string> {
  const done = [...new Set([...before.keys(), ...after.keys()])].flatMap((id): [string, string][] => {
    const [was, is] = [before.get(id), after.get(id)];
    if (was === undefined) return [[id, "create"]];
    if (is === undefined) return [[id, "delete"]];
    if (was.metadata.uid !== is.metadata.uid) return [[id, "replace"]];
    return toCanonicalJson(was) === toCanonicalJson(is) ? [] : [[id, "change"]];
  });
  return Object.fromEntries(done);
}

test("a plan has the same action for each object as the apply of the commit, and the same digest", async () => {
  await fc.assert(
    fc.asyncProperty(commit, commit, fc.boolean(), async (first, second, prune) => {
      const bench = new ReleaseBench();
      bench.commit("1", first);
      bench.offer("2", second);
      bench.edit(aRelease({ spec: { prune } }));
      await made(bench);
      bench.edit(aRelease({ generation: 2, spec: { prune, ...next("2") } }));
      await made(bench);
      const { next: plan, deployed } = bench.release().status ?? {};
      expect(plan).not.toHaveProperty("error");
      const told = JSON.stringify([bench.release().status, bench.log.entries]);
      for (const value of [1, 2]) expect(told).not.toContain(secret(value));

      const before = objectsOf(bench);
      const spec = { prune, revision: aCommit("2").id, digest: plan?.digest };
      bench.edit(aRelease({ generation: 3, spec }));
      await made(bench);
      const done = compare(before, objectsOf(bench));

      // Progress is told later.
      await bench.clock.advance(12_000);
      await made(bench);
      const isHeld = bench.condition("Applied") === "False PruneHeld";
      if (!isHeld) expect(bench.release().status?.deployed?.digest).toBe(plan?.digest);
      if (plan?.digest === deployed?.digest) expect(done).toEqual({});
      const objects = bench.log.entries.findLast(({ message }) => message === "Planned a commit")?.fields as
        | { readonly objects: Record<string, string> }
        | undefined;
      const planned = Object.entries(objects?.objects ?? {});
      expect(done).toEqual(Object.fromEntries(planned.filter(([, action]) => action !== "hold")));
      const count = (...actions: readonly string[]) =>
        planned.filter(([, action]) => actions.includes(action)).length;
      expect(plan).toMatchObject({
        create: count("create"),
        change: count("change", "replace"),
        delete: count("delete"),
        held: count("hold"),
      });
      expect(isHeld).toBe(count("hold") > 0);
      // What it waited for is done as planned, too.
      if (!isHeld) return;
      const held = objectsOf(bench);
      const annotations = { "fairlead.dev/approve-prune": aCommit("2").id };
      bench.edit(aRelease({ generation: 3, spec, annotations }));
      await made(bench);
      expect(Object.keys(compare(held, objectsOf(bench))).toSorted()).toEqual(
        planned.flatMap(([id, action]) => (action === "hold" ? id : [])).toSorted(),
      );
    }),
    { numRuns: limitRuns(200) },
  );
});
