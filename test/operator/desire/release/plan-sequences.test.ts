import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { LiveObject } from "../../../../crds/object.ts";
import { Release } from "../../../../crds/release.ts";
import { ApiUnavailableError } from "../../../../operator/errors.ts";
import { toCanonicalJson } from "../../../../synth/digest.ts";
import type { Manifest } from "../../../../synth/manifest.ts";
import type { FakeCluster } from "../../../fakes/fake-cluster.ts";
import { made, next } from "../../../fakes/planned-bench.ts";
import { ReleaseBench } from "../../../fakes/release-bench.ts";
import { aCommit, aRelease, aSourceManifest } from "../../../fakes/releases.ts";

/** Namespaces beside that of the Release: they exist only after they are created. */
const away = ["away", "far"] as const;

/** What objects of these kinds are made of, by a number. */
const fieldsOf: Readonly<Record<string, (value: number) => Record<string, unknown>>> = {
  "v1/ConfigMap": (value) => ({ data: { x: String(value) } }),
  "v1/Secret": (value) => ({ data: { password: Buffer.from(`password-${value}`).toString("base64") } }),
  "apps/v1/Deployment": (value) => ({
    spec: { replicas: 0, template: { spec: { containers: [{ name: "c", image: `web:${value}` }] } } },
  }),
  "rbac.authorization.k8s.io/v1/ClusterRole": (value) => ({
    rules: [{ apiGroups: [String(value)], resources: ["*"], verbs: ["get"] }],
  }),
};

const object = fc.record({
  type: fc.constantFrom(...Object.keys(fieldsOf)),
  name: fc.constantFrom("a", "b", "c"),
  namespace: fc.constantFrom(undefined, undefined, ...away),
  value: fc.integer({ min: 1, max: 2 }),
  isKept: fc.boolean(),
});
const step = fc.record({
  objects: fc.uniqueArray(object, {
    minLength: 1,
    maxLength: 8,
    selector: ({ type, name, namespace }) => `${type} ${name} ${type.startsWith("rbac") ? "" : namespace}`,
  }),
  prune: fc.boolean(),
  /** Annotations of the target: every object changes. */
  isDressed: fc.boolean(),
  /** It is planned, and another commit is deployed instead. */
  isSkipped: fc.boolean(),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** The manifests of a commit, with the namespaces that its objects need. */
function manifestsOf({ objects }: Step): readonly Manifest[] {
  const wanted = away.filter((name) => objects.some(({ namespace }) => namespace === name));
  return [
    ...wanted.map((name) => aSourceManifest("v1", "Namespace", name)),
    ...objects.map(({ type, name, namespace, value, isKept }): Manifest => {
      const [kind = "", ...version] = type.split("/").toReversed();
      const fields = fieldsOf[type]?.(value) ?? {};
      const more = { fields, ...(namespace !== undefined && { namespace }) };
      const manifest = aSourceManifest(version.toReversed().join("/"), kind, name, more);
      const annotations = { "fairlead.dev/prune": "disabled" };
      return isKept ? { ...manifest, metadata: { ...manifest.metadata, annotations } } : manifest;
    }),
  ];
}

/** As an API server: nothing is created in a namespace that does not exist, and a webhook and defaults change what is stored. */
function beStrict(cluster: FakeCluster): void {
  const refuse = ({ metadata: { namespace } }: Manifest): void => {
    const isCommon = namespace === undefined || namespace === "shop";
    if (isCommon || cluster.objects.has(`/Namespace//${namespace}`)) return;
    throw new ApiUnavailableError(`Cannot apply: namespace "${namespace}" does not exist`, { status: 404 });
  };
  const apply = cluster.apply.bind(cluster);
  const dryRun = cluster.dryRun.bind(cluster);
  cluster.apply = async (kind, manifest, guard) => {
    refuse(manifest);
    return await apply(kind, manifest, guard);
  };
  cluster.dryRun = () => {
    const dry = dryRun();
    return {
      ...dry,
      apply: async (kind, manifest, guard) => {
        refuse(manifest);
        return await dry.apply(kind, manifest, guard);
      },
    };
  };
  cluster.rewrite = (live) => {
    if (live.kind !== "Deployment") return live;
    const text = JSON.stringify(live["spec"]).replaceAll('"web:', '"mirror.example.dev/web:');
    return { ...live, spec: { ...JSON.parse(text), progressDeadlineSeconds: 600 } };
  };
}

function objectsOf(bench: ReleaseBench): ReadonlyMap<string, LiveObject> {
  return new Map([...bench.cluster.objects].filter(([, { kind }]) => kind !== Release.kind));
}

/** What was done to each object. */
function compare(before: ReadonlyMap<string, LiveObject>, after: ReadonlyMap<string, LiveObject>) {
  const done = [...new Set([...before.keys(), ...after.keys()])].flatMap((id): [string, string][] => {
    const [was, is] = [before.get(id), after.get(id)];
    if (was === undefined) return [[id, "create"]];
    if (is === undefined) return [[id, "delete"]];
    return toCanonicalJson(was) === toCanonicalJson(is) ? [] : [[id, "change"]];
  });
  return Object.fromEntries(done);
}

/** Objects of somebody else that a commit may name, too. */
const theirs = fc.uniqueArray(fc.constantFrom("a", "b", "c"), { maxLength: 1 });

test("each plan of a sequence of commits contains for each object what is done to it when the commit is applied", async () => {
  const seen = { create: 0, change: 0, delete: 0, hold: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 4 }), theirs, async (steps, [foreign]) => {
      const bench = new ReleaseBench();
      beStrict(bench.cluster);
      if (foreign !== undefined) {
        const manifest = aSourceManifest("v1", "ConfigMap", foreign, { namespace: "shop" });
        const metadata = { ...manifest.metadata, uid: "theirs", resourceVersion: "1" };
        bench.cluster.put({ ...manifest, metadata, ours: false });
      }
      const source = { url: "https://git.example/shop.git", ref: { pipeline: "shop", stage: "prod" } };
      let generation = 0;
      let pin: object = {};
      const edit = (spec: object, annotations?: Record<string, string>): void =>
        bench.edit(
          aRelease({
            generation: ++generation,
            spec: { source, ...spec },
            ...(annotations && { annotations }),
          }),
        );
      for (const [index, one] of steps.entries()) {
        const digit = String(index + 1);
        bench.offer(digit, manifestsOf(one));
        const rules = {
          prune: one.prune,
          ...(one.isDressed && { target: { annotations: { step: digit } } }),
        };
        // Rules of the Release count at once: they are those of the plan and of the apply.
        edit({ ...rules, ...pin });
        await made(bench);
        edit({ ...rules, ...pin, ...next(digit) });
        await made(bench);
        const plan = bench.release().status?.next;
        expect(plan?.revision).toBe(aCommit(digit).id);
        if (one.isSkipped) continue;
        const before = objectsOf(bench);
        pin = { revision: aCommit(digit).id, ...(plan?.digest && { digest: plan.digest }) };
        edit({ ...rules, ...pin });
        await made(bench);
        await bench.clock.advance(12_000);
        await made(bench);
        const done = compare(before, objectsOf(bench));
        if (plan?.error !== undefined) {
          seen.refused++;
          expect(plan.error).toMatch(/belongs to/);
          expect(bench.condition("Applied")).toBe("False NotOwned");
          // The rest of the steps would begin with what is half applied.
          return;
        }
        const last = bench.log.entries.findLast(({ message }) => message === "Planned a commit");
        const isMade = plan !== undefined && plan.digest !== undefined;
        expect(isMade).toBe(true);
        const planned = Object.entries(
          (last?.fields as { readonly objects: Record<string, string> } | undefined)?.objects ?? {},
        );
        const total = (plan?.create ?? 0) + (plan?.change ?? 0) + (plan?.delete ?? 0) + (plan?.held ?? 0);
        const actions = total === 0 ? [] : planned;
        expect(done).toEqual(Object.fromEntries(actions.filter(([, action]) => action !== "hold")));
        for (const [, action] of actions) seen[action as "create"]++;
        const isHeld = actions.some(([, action]) => action === "hold");
        expect(bench.condition("Applied")).toBe(isHeld ? "False PruneHeld" : "True Applied");
        if (!isHeld) {
          expect(bench.release().status?.deployed?.digest).toBe(plan?.digest);
          continue;
        }
        const held = objectsOf(bench);
        edit({ ...rules, ...pin }, { "fairlead.dev/approve-prune": aCommit(digit).id });
        await made(bench);
        expect(Object.keys(compare(held, objectsOf(bench))).toSorted()).toEqual(
          actions.flatMap(([id, action]) => (action === "hold" ? id : [])).toSorted(),
        );
      }
    }),
    { numRuns: 100 },
  );
  // The property says nothing of what never happens.
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(0);
});
