import { ReleaseBench } from "./release-bench.ts";
import { aSourceManifest } from "./releases.ts";

/** A deployed Release whose source has a ConfigMap `x: "1"` with each name. */
export async function aDeployedBench(...names: readonly string[]): Promise<ReleaseBench> {
  const bench = new ReleaseBench();
  const fields = { data: { x: "1" } };
  bench.commit(
    "1",
    names.map((name) => aSourceManifest("v1", "ConfigMap", name, { fields })),
  );
  bench.edit();
  await bench.reconcile();
  bench.takeRequests();
  return bench;
}
