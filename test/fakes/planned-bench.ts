import { aDeployedBench } from "./deployed-bench.ts";
import type { ReleaseBench } from "./release-bench.ts";
import { aCommit, aRelease, aSourceManifest } from "./releases.ts";

/** A ConfigMap as in {@link aDeployedBench}. */
export const map = (name: string, x = "1") =>
  aSourceManifest("v1", "ConfigMap", name, { fields: { data: { x } } });
/** The part of a spec that requests a plan. */
export const next = (digit: string) => ({ next: { revision: aCommit(digit).id } });

/** Requests the plan of a commit, for a Release with the ConfigMaps a and b, and waits for it. */
export async function planned(
  offered: Parameters<ReleaseBench["offer"]>[1],
  { bench = undefined as ReleaseBench | undefined } = {},
): Promise<ReleaseBench> {
  const at = bench ?? (await aDeployedBench("a", "b"));
  at.offer("2", offered);
  at.edit(aRelease({ generation: 2, spec: next("2") }));
  await made(at);
  return at;
}

/** Reconciles, lets plans be computed, and reconciles once more each time that the Release was requeued. */
export async function made(bench: ReleaseBench): Promise<void> {
  for (let runs = 0; runs < 10; runs++) {
    bench.woken.length = 0;
    await bench.reconcile();
    await bench.clock.settle();
    if (!bench.woken.includes("shop/web")) return;
  }
  throw new Error("it is put back again and again");
}
