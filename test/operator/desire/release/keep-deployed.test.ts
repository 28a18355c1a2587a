import { describe, expect, test } from "vitest";
import { ApiUnavailableError } from "../../../../operator/errors.ts";
import { ReleaseBench } from "../../../fakes/release-bench.ts";
import { aCommit, aRelease, aSourceManifest } from "../../../fakes/releases.ts";

const map = (name: string, x = "1") => aSourceManifest("v1", "ConfigMap", name, { fields: { data: { x } } });

describe("a Release whose pinned commit renders to other manifests", () => {
  test("reverts a manual change again after a failed request, although no condition contains the failure", async () => {
    const bench = new ReleaseBench();
    bench.commit("1", [map("a"), map("b")]);
    bench.edit(aRelease());
    await bench.reconcile();
    const digest = bench.release().status?.history?.[0]?.digest;
    bench.edit(aRelease({ spec: { revision: aCommit("1").id, digest }, generation: 2 }));
    await bench.reconcile();
    bench.offer("1", [map("a", "2"), map("b")]);
    await bench.reconcile();
    expect(bench.condition("Ready")).toBe("False DigestMismatch");
    bench.vanish(bench.live("ConfigMap", "b") ?? expect.fail("no ConfigMap b"));
    bench.cluster.refuse("apply ConfigMap/b", new ApiUnavailableError("overloaded", { status: 503 }));
    bench.takeRequests();
    expect(await bench.reconcile()).toEqual({ requeueAfterMs: 15_000 });
    expect(await bench.reconcile()).toEqual({});
    const applies = bench.takeRequests().filter((request) => request.startsWith("apply"));
    expect(applies).toEqual(["apply ConfigMap/b", "apply ConfigMap/b"]);
  });
});
