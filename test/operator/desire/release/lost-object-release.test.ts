import { describe, expect, test } from "vitest";
import { ReplacedError } from "../../../../operator/errors.ts";
import { idOf } from "../../../../synth/manifest.ts";
import { ReleaseBench } from "../../../fakes/release-bench.ts";
import { aSourceManifest } from "../../../fakes/releases.ts";

const configMap = aSourceManifest("v1", "ConfigMap", "web");

/** A Release whose only object another client deleted. */
async function aLoss() {
  const bench = new ReleaseBench();
  bench.edit();
  bench.commit("1", [configMap]);
  await bench.reconcile();
  const live = bench.live("ConfigMap", "web");
  if (live === undefined) throw new Error("there is no ConfigMap");
  bench.vanish(live);
  bench.lost.note(live, ["shop/web"]);
  bench.takeRequests();
  return bench;
}

describe("a Release whose object another client deleted", () => {
  test("recreates it after one read that confirms the Release, and reports it", async () => {
    const bench = await aLoss();
    await bench.reconcile();
    expect(bench.takeRequests().slice(0, 2)).toEqual(["read Release/web", "apply ConfigMap/web"]);
    expect(bench.events).toContainEqual(
      expect.objectContaining({ reason: "Restored", note: "Restored ConfigMap shop/web: it was deleted" }),
    );
  });

  test("recreates nothing for a deleted Release, although the event has not arrived", async () => {
    const bench = await aLoss();
    bench.cluster.objects.delete(idOf(bench.release()));
    await expect(bench.reconcile()).rejects.toThrow(ReplacedError);
    expect(bench.takeRequests()).toEqual(["read Release/web"]);
    expect(bench.live("ConfigMap", "web")).toBeUndefined();
  });
});
