import { expect, test } from "vitest";
import { map, next } from "../../../fakes/planned-bench.ts";
import { ReleaseBench } from "../../../fakes/release-bench.ts";
import { aRelease } from "../../../fakes/releases.ts";

test("plans of one namespace are made at the same time, and leave room for those of another", async () => {
  const bench = new ReleaseBench();
  const dryRun = bench.cluster.dryRun.bind(bench.cluster);
  const begun: string[] = [];
  const held = Promise.withResolvers<void>();
  bench.cluster.dryRun = () => ({
    ...dryRun(),
    apply: async (kind, manifest, guard) => {
      begun.push(`${manifest.metadata.namespace}/${manifest.metadata.name}`);
      await held.promise;
      return await dryRun().apply(kind, manifest, guard);
    },
  });
  bench.offer("2", [map("a", "2")]);
  const plan = async (name: string, namespace: string): Promise<void> => {
    const key = `${namespace}/${name}`;
    bench.commit("1", [], { key });
    bench.edit(aRelease({ name, namespace, spec: next("2") }));
    await bench.reconcile(key);
    await bench.clock.settle();
  };
  // Given the Releases of the stages of a Pipeline, and more than may be planned at the same time
  for (let index = 0; index < 10; index += 1) await plan(`web-${index}`, "shop");
  const ofShop = begun.length;
  expect(ofShop).toBeGreaterThanOrEqual(3);
  expect(ofShop).toBeLessThan(10);
  // Then those of another namespace do not wait for them
  for (let index = 0; index < 3; index += 1) await plan(`web-${index}`, "other");
  expect(begun.filter((id) => id.startsWith("other/"))).toHaveLength(3);
  held.resolve();
  await bench.clock.settle();
  expect(begun).toHaveLength(13);
});
