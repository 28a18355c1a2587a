import { describe, expect, test } from "vitest";
import { aDeployedBench } from "../../../fakes/deployed-bench.ts";
import { ReleaseBench } from "../../../fakes/release-bench.ts";
import { aRelease, aSourceManifest } from "../../../fakes/releases.ts";

const map = (name: string, x = "1") => aSourceManifest("v1", "ConfigMap", name, { fields: { data: { x } } });

describe("a Release that depends on another", () => {
  test("waits until that one is ready at its newest revision, and is requeued then", async () => {
    const bench = new ReleaseBench();
    bench.commit("1", [map("app")]);
    bench.edit(aRelease({ spec: { dependsOn: [{ name: "base" }] } }));
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual([]);
    bench.commit("1", [map("base")], { key: "shop/base" });
    bench.edit(aRelease({ name: "base" }));
    await bench.reconcile("shop/base");
    bench.takeRequests();
    expect(bench.woken).toContain("shop/web");
    await bench.reconcile();
    expect(bench.condition("Ready")).toBe("True Reconciled");

    // Both change with one commit: the order does not depend on which is reconciled first.
    bench.takeRequests();
    bench.commit("2", [map("app", "2")]);
    bench.commit("2", [map("base", "2")], { key: "shop/base" });
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual([]);
    await bench.reconcile("shop/base");
    await bench.reconcile();
    expect(bench.takeRequests().filter((request) => request.startsWith("apply"))).toEqual([
      "apply ConfigMap/base",
      "apply ConfigMap/app",
    ]);
  });

  test("is requeued when the other one is found to be current after a restart, although nothing is written", async () => {
    const bench = await aDeployedBench("a");
    bench.edit(aRelease({ name: "app", spec: { dependsOn: [{ name: "web" }] } }));
    await bench.reconcile();
    bench.memory.forget("shop/web");
    bench.woken.length = 0;
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual([]);
    expect(bench.woken).toEqual(["shop/app"]);
    await bench.reconcile();
    expect(bench.woken).toEqual(["shop/app"]);
  });

  test("is not changed while that one is not healthy", async () => {
    const bench = await aDeployedBench("a");
    bench.edit(aRelease({ generation: 2, spec: { dependsOn: [{ name: "base" }] } }));
    const live = bench.live("ConfigMap", "a");
    if (live === undefined) throw new Error("there is none");
    const metadata = { ...live.metadata, resourceVersion: "900" };
    bench.deliver(bench.cluster.put({ ...live, metadata, data: { x: "by hand" } }));
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["apply ConfigMap/a", "status Release/web"]);
    expect(bench.condition("Ready")).toBe("True Reconciled");
  });

  const messageOf = async (bench: ReleaseBench): Promise<string | undefined> => {
    await bench.reconcile();
    await bench.clock.advance(2_000);
    await bench.reconcile();
    return bench.release().status?.conditions?.find(({ type }) => type === "Ready")?.message;
  };
  const dependent = aRelease({ spec: { dependsOn: [{ name: "db", namespace: "data" }] } });
  const allowing = { "fairlead.dev/allow-dependents": "shop" };

  test("reports nothing about one in another namespace that does not allow it", async () => {
    const told: unknown[] = [];
    for (const state of ["missing", "failing", "ready"]) {
      const bench = new ReleaseBench();
      bench.commit("1", [map("app")]);
      if (state === "ready") bench.commit("1", [map("db")], { key: "data/db" });
      else bench.fail({ source: { reason: "SourceNotFound", message: "none" } }, "data/db");
      if (state !== "missing") bench.edit(aRelease({ name: "db", namespace: "data" }));
      await bench.reconcile("data/db");
      bench.edit(dependent);
      told.push(await messageOf(bench));
      expect(bench.live("ConfigMap", "app")).toBeUndefined();
    }
    expect(new Set(told)).toEqual(
      new Set([
        "Waiting: Release data/db does not exist, or does not allow Releases of namespace shop to depend on it (annotation fairlead.dev/allow-dependents: shop)",
      ]),
    );
  });

  test("waits for one in another namespace that allows it", async () => {
    const bench = new ReleaseBench();
    bench.commit("1", [map("app")]);
    bench.commit("1", [map("db")], { key: "data/db" });
    bench.edit(aRelease({ name: "db", namespace: "data", annotations: allowing }));
    bench.edit(dependent);
    expect(await messageOf(bench)).toMatch(/Release data\/db has not been reconciled since/);
    await bench.reconcile("data/db");
    await bench.reconcile();
    expect(bench.condition("Ready")).toBe("True Reconciled");
  });

  test("is not part of a cycle through a Release that does not allow the dependency", async () => {
    const bench = new ReleaseBench();
    bench.commit("1", [map("app")]);
    const back = { dependsOn: [{ name: "web", namespace: "shop" }] };
    bench.edit(aRelease({ name: "db", namespace: "data", spec: back }));
    bench.edit(
      aRelease({ ...{ annotations: { "fairlead.dev/allow-dependents": "*" } }, spec: dependent.spec }),
    );
    expect(await messageOf(bench)).toMatch(/does not exist, or does not allow/);
    bench.edit(aRelease({ name: "db", namespace: "data", spec: back, annotations: allowing }));
    expect(await messageOf(bench)).toMatch(/shop\/web → data\/db → shop\/web/);
  });

  test("reports a cycle", async () => {
    const bench = new ReleaseBench();
    bench.commit("1", [map("app")]);
    bench.edit(aRelease({ name: "base", spec: { dependsOn: [{ name: "web" }] } }));
    bench.edit(aRelease({ spec: { dependsOn: [{ name: "base" }] } }));
    await bench.reconcile();
    expect(bench.condition("Ready")).toBe("False DependencyCycle");
  });

  test("reports a cycle before its source is fetched, and when it is deployed", async () => {
    const bench = await aDeployedBench("a");
    bench.edit(aRelease({ name: "base", spec: { dependsOn: [{ name: "web" }] } }));
    bench.fail({ digit: "1", render: "pending" }, "shop/base");
    bench.edit(aRelease({ generation: 2, spec: { dependsOn: [{ name: "base" }] } }));
    const live = bench.live("ConfigMap", "a");
    if (live === undefined) throw new Error("there is none");
    bench.deliver(bench.cluster.put({ ...live, data: { x: "by hand" } }));
    for (const [key, cycle] of [
      ["shop/web", "shop/web → shop/base → shop/web"],
      ["shop/base", "shop/base → shop/web → shop/base"],
    ] as const) {
      await bench.reconcile(key);
      const conditions = bench.release(key).status?.conditions ?? [];
      const [ready] = conditions;
      expect(ready).toMatchObject({ status: "False", reason: "DependencyCycle" });
      expect(ready?.message).toContain(cycle);
    }
    // Deployed objects are kept unchanged.
    expect(bench.live("ConfigMap", "a")?.["data"]).toEqual({ x: "1" });
  });

  test("names a missing Release before its source is fetched", async () => {
    const bench = new ReleaseBench();
    bench.fail({ digit: "1", render: "pending" });
    bench.edit(aRelease({ spec: { dependsOn: [{ name: "base" }] } }));
    expect(await messageOf(bench)).toBe("Waiting: Release shop/base does not exist");
    expect(bench.condition("Ready")).toBe("False DependencyNotReady");
  });

  test("names a missing Release when it is already deployed, and stays ready", async () => {
    const bench = await aDeployedBench("a");
    bench.edit(aRelease({ generation: 2, spec: { dependsOn: [{ name: "base" }] } }));
    expect(await messageOf(bench)).toBe(
      "1 object in place. The next revision will wait: Release shop/base does not exist",
    );
    expect(bench.condition("Ready")).toBe("True Reconciled");
    bench.edit(aRelease({ name: "base" }));
    expect(await messageOf(bench)).toBe("1 object in place");
  });

  test.for([
    { does: "a Release that does not exist", name: "nope", says: /^no answer\. .*\bshop\/nope\b/ },
    {
      does: "itself",
      name: "base",
      says: /^no answer\. These Releases depend on each other: shop\/web → shop\/base/,
    },
  ])(
    "reports at once that it depends on $does, also while its source does not respond",
    async ({ name, says }) => {
      const bench = new ReleaseBench();
      bench.edit(aRelease({ name: "base", spec: { dependsOn: [{ name: "web" }] } }));
      bench.edit(aRelease({ spec: { dependsOn: [{ name }] } }));
      bench.fail({ source: { reason: "SourceUnreachable", message: "no answer" } });
      await bench.reconcile();
      const messageOf = () =>
        bench.release().status?.conditions?.find(({ type }) => type === "Ready")?.message ?? "";
      expect(bench.condition("Ready")).toBe("False SourceUnreachable");
      expect(messageOf()).toMatch(says);
      bench.takeRequests();
      await bench.reconcile();
      expect(bench.takeRequests()).toEqual([]);
    },
  );
});
