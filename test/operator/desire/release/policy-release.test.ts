import { describe, expect, test } from "vitest";
import type { ReleaseRule } from "../../../../crds/release-policy.ts";
import type { Limits } from "../../../../operator/desire/release/limits.ts";
import { ReleaseBench } from "../../../fakes/release-bench.ts";
import { aRelease, aSourceManifest } from "../../../fakes/releases.ts";

const map = aSourceManifest("v1", "ConfigMap", "a", { fields: { data: { x: "1" } } });
const limitsOf = (rule: ReleaseRule): Limits => [{ from: "ReleasePolicy tenants, rule 1", rule }];
const unobserved = { state: "pending", message: "Waiting for Namespace shop to be observed" } as const;
const elsewhere = limitsOf({ sources: ["https://git.example/other/"] });

describe("a Release that a policy does not allow", () => {
  test("is not deployed, and reports what is refused, by which policy, and whom to contact", async () => {
    const bench = new ReleaseBench();
    bench.limits = elsewhere;
    bench.commit("1", [map]);
    bench.edit();
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["status Release/web"]);
    expect(bench.condition("Ready")).toBe("False PolicyRefused");
    expect(bench.condition("Stalled")).toBe("True PolicyRefused");
    expect(JSON.stringify(bench.release().status)).toMatch(
      /Refused by ReleasePolicy tenants, rule 1: .*spec\.source\.url.*Ask the platform team/,
    );
  });

  test("keeps the deployed objects without correcting drift, and continues when it is allowed again", async () => {
    const bench = new ReleaseBench();
    bench.commit("1", [map]);
    bench.edit();
    await bench.reconcile();
    bench.takeRequests();

    bench.limits = elsewhere;
    bench.commit("2", [{ ...map, data: { x: "2" } }]);
    const live = bench.live("ConfigMap", "a");
    if (live !== undefined) bench.deliver(bench.cluster.put({ ...live, data: { x: "edited" } }));
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["status Release/web"]);
    expect(bench.condition("Ready")).toBe("False PolicyRefused");

    bench.limits = [];
    await bench.reconcile();
    expect(bench.condition("Ready")).toBe("True Reconciled");
    expect(bench.live("ConfigMap", "a")).toMatchObject({ data: { x: "2" } });
  });

  test("is deleted with its objects", async () => {
    const bench = new ReleaseBench();
    bench.commit("1", [map]);
    bench.edit();
    await bench.reconcile();
    bench.limits = elsewhere;
    const leaving = aRelease({ generation: 2 });
    bench.edit({ ...leaving, metadata: { ...leaving.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } });
    await bench.reconcile();
    expect(bench.live("ConfigMap", "a")).toBeUndefined();
  });

  test("is neither deployed nor deleted with the operator's rights while the policies cannot be evaluated", async () => {
    const bench = new ReleaseBench();
    bench.commit("1", [map]);
    bench.edit();
    await bench.reconcile();
    bench.takeRequests();

    bench.rules = { state: "undecidable", message: "Cannot decide what is allowed" };
    await bench.reconcile();
    expect(bench.condition("Ready")).toBe("False PolicyRefused");
    const leaving = aRelease({ generation: 2 });
    bench.edit({ ...leaving, metadata: { ...leaving.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } });
    await bench.reconcile();
    await bench.clock.advance(2_000);
    await bench.reconcile();
    expect(bench.condition("Ready")).toBe("False Deleting");
    expect(bench.live("ConfigMap", "a")).toBeDefined();

    bench.rules = undefined;
    await bench.reconcile();
    expect(bench.live("ConfigMap", "a")).toBeUndefined();
  });

  test("waits without a request or error for a namespace that is observed soon", async () => {
    const bench = new ReleaseBench();
    bench.rules = unobserved;
    bench.commit("1", [map]);
    bench.edit();
    expect(await bench.reconcile()).toEqual({ requeueAfterMs: 2_000 });
    expect(bench.takeRequests()).toEqual([]);

    bench.rules = undefined;
    await bench.reconcile();
    expect(bench.condition("Ready")).toBe("True Reconciled");
    const observed = new ReleaseBench();
    observed.commit("1", [map]);
    observed.edit();
    await observed.reconcile();
    expect(bench.takeRequests()).toEqual(observed.takeRequests());
  });

  test("reports that it is pending later if others of its namespace are pending", async () => {
    const bench = new ReleaseBench();
    bench.rules = unobserved;
    bench.commit("1", [map]);
    bench.edit();
    for (const name of ["b", "c"]) bench.pending.note(`shop/${name}`, true);
    expect(await bench.reconcile()).toEqual({ requeueAfterMs: 2_400 });
    bench.rules = undefined;
    await bench.reconcile();
    expect(bench.pending.note("shop/b", true)).toBe(1);
  });

  test("reports a namespace that is not observed for long, without a request for its objects", async () => {
    const bench = new ReleaseBench();
    bench.rules = unobserved;
    bench.commit("1", [map]);
    bench.edit();
    await bench.reconcile();
    await bench.clock.advance(2_000);
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["status Release/web"]);
    expect(bench.condition("Sourced")).toBe("Unknown SourcePending");
    expect(JSON.stringify(bench.release().status)).toContain(unobserved.message);
  });

  test("deletes nothing while its namespace is not observed, even with an account of its own", async () => {
    const bench = new ReleaseBench();
    const target = { serviceAccountName: "deployer" };
    bench.commit("1", [map]);
    bench.edit(aRelease({ spec: { target } }));
    await bench.reconcile();
    bench.takeRequests();

    bench.rules = unobserved;
    const leaving = aRelease({ generation: 2, spec: { target } });
    bench.edit({ ...leaving, metadata: { ...leaving.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } });
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual([]);
    await bench.clock.advance(2_000);
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["status Release/web"]);
    expect(bench.condition("Ready")).toBe("False Deleting");
    expect(JSON.stringify(bench.release().status)).toContain(unobserved.message);

    bench.rules = undefined;
    await bench.reconcile();
    expect(bench.live("ConfigMap", "a")).toBeUndefined();
  });

  test("has to be signed by a key of the policy, for any keys in its spec", async () => {
    const bench = new ReleaseBench();
    const key = "ssh-ed25519 AAAA";
    bench.secrets.read = async () => new Map([["own.pub", "ssh-ed25519 BBBB"]]);
    const source = { url: "https://git.example/shop.git", verify: { secretRef: { name: "own" } } };
    bench.limits = limitsOf({ verify: { required: true, keys: [key] } });
    bench.commit("1", [map]);
    bench.edit(aRelease({ spec: { source } }));
    await bench.reconcile();
    expect([...(bench.requests.get("shop/web")?.signers ?? [])]).toEqual([["0.pub", key]]);
  });

  test.for([
    { what: "a denied kind", rule: { kinds: { denied: [{ group: "", kind: "ConfigMap" }] } } },
    { what: "too many objects", rule: { quotas: { objects: 0 } } },
  ])("does not apply $what", async ({ rule }) => {
    const bench = new ReleaseBench();
    bench.limits = limitsOf(rule);
    bench.commit("1", [map]);
    bench.edit();
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["status Release/web"]);
    expect(bench.condition("Ready")).toBe("False PolicyRefused");
  });
});
