import { describe, expect, test } from "vitest";
import { withoutAccount } from "../../../../operator/desire/release/account-required.ts";
import { ApiUnavailableError } from "../../../../operator/errors.ts";
import { ReleaseBench } from "../../../fakes/release-bench.ts";
import { aRelease, aSourceManifest } from "../../../fakes/releases.ts";

const map = aSourceManifest("v1", "ConfigMap", "a", { fields: { data: { x: "1" } } });
const account = { target: { serviceAccountName: "deployer" } };

/** A Release that is deployed as an account, by an operator that requires one. */
async function aBench(): Promise<ReleaseBench> {
  const bench = new ReleaseBench({ requiresServiceAccount: true });
  bench.commit("1", [map]);
  bench.edit(aRelease({ spec: account }));
  await bench.reconcile();
  expect(bench.condition("Ready")).toBe("True Reconciled");
  bench.takeRequests();
  return bench;
}

const leaving = (spec: Record<string, unknown>) => {
  const release = aRelease({ generation: 2, spec });
  return { ...release, metadata: { ...release.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
};

describe("a Release without a ServiceAccount, where one is required", () => {
  test("is refused, and its deployed objects do not change", async () => {
    const bench = await aBench();
    bench.edit(aRelease({ generation: 2 }));
    bench.commit("2", []);
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["status Release/web"]);
    expect(bench.condition("Ready")).toBe("False SpecInvalid");
    expect(bench.live("ConfigMap", "a")).toBeDefined();
    // Its source is not polled with credentials that its former account could read.
    expect([...bench.requests.keys()]).toEqual([]);
  });

  test("deletes nothing when it is deleted, reports why, and continues when it names one", async () => {
    const bench = await aBench();
    bench.edit(leaving({}));
    await bench.reconcile();
    await bench.clock.advance(2_000);
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["status Release/web"]);
    expect(bench.live("ConfigMap", "a")).toBeDefined();
    expect(bench.condition("Ready")).toBe("False Deleting");
    const [ready] = bench.release().status?.conditions ?? [];
    expect(ready?.message).toBe(
      "Cannot delete ConfigMap shop/a: this operator deletes objects only as a ServiceAccount, and the Release names " +
        "none. Set spec.target.serviceAccountName, or set spec.deletionPolicy to Orphan to leave the objects in the cluster",
    );
    bench.edit(leaving(account));
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["delete ConfigMap/a", "metadata Release/web"]);
  });

  test("leaves its objects and is deleted if its spec says so", async () => {
    const bench = await aBench();
    bench.edit(leaving({ deletionPolicy: "Orphan" }));
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["metadata Release/web"]);
    expect(bench.live("ConfigMap", "a")).toBeDefined();
  });

  test("is deleted if it has no objects", async () => {
    const bench = await aBench();
    const live = bench.live("ConfigMap", "a");
    if (live === undefined) throw new Error("there is none");
    bench.vanish({ ...live, metadata: { ...live.metadata, resourceVersion: "900" } });
    bench.edit(leaving({}));
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["metadata Release/web"]);
  });

  test("sends no request for it, for any method", async () => {
    const cluster = withoutAccount();
    const { as, until, dryRun, ...requests } = cluster;
    const others = [as(undefined), until(new AbortController().signal), dryRun()];
    expect(others).toEqual([cluster, cluster, cluster]);
    for (const send of Object.values(requests))
      await expect((send as () => Promise<void>)()).rejects.toThrow(/names no ServiceAccount/);
  });
});

describe("a Release whose ServiceAccount no longer has its rights", () => {
  test("keeps its objects when it is deleted, and reports which account needs which rights", async () => {
    const bench = await aBench();
    bench.edit(leaving(account));
    const message = 'user "system:serviceaccount:shop:deployer" may not delete "configmaps"';
    bench.cluster.refuse("delete ConfigMap/a", new ApiUnavailableError(message, { status: 403 }));
    await expect(bench.reconcile()).rejects.toThrow(message);
    const [ready] = bench.release().status?.conditions ?? [];
    expect(ready?.message).toMatch(
      /Grant ServiceAccount shop\/deployer the rights for it \(again\), or set spec.deletionPolicy/,
    );
    expect(bench.live("ConfigMap", "a")).toBeDefined();
  });
});
