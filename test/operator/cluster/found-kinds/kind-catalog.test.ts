import { describe, expect, test } from "vitest";
import type { ServedGroups } from "../../../fakes/discovery.ts";
import { aCatalog, aDefinition, secrets, served, widgets } from "../../../fakes/kind-catalog.ts";

describe("the catalog of kinds", () => {
  test("sends no request before the first lookup, and then one discovery for all of them", async () => {
    const { catalog, clock, server, take } = aCatalog();
    await clock.advance(3_600_000);
    expect(server.requests).toEqual([]);
    expect(catalog.ask("apps/v1", "Deployment", "shop/a")).toEqual({ state: "pending" });
    expect(catalog.ask("v1", "Secret", "shop/a")).toEqual({ state: "pending" });
    expect(catalog.ask("apps/v1", "Deployment", "shop/b")).toEqual({ state: "pending" });
    expect(catalog.hasSynced).toBe(false);
    await clock.advance(1_000);
    expect(server.requests.toSorted()).toEqual(["/api", "/apis"]);
    expect(take()).toEqual(["shop/a", "shop/b"]);
    expect(catalog.hasSynced).toBe(true);
    expect(catalog.ask("apps/v1", "Deployment", "shop/a")).toMatchObject({
      state: "known",
      kind: { group: "apps", version: "v1", plural: "deployments", namespaced: true },
    });
    // A known kind causes no further request.
    await clock.advance(24 * 3_600_000);
    expect(server.looks).toBe(1);
  });

  test("returns one kind as the same object, also after another discovery", async () => {
    const { catalog, clock, server } = aCatalog();
    catalog.refresh();
    await clock.advance(1_000);
    const before = catalog.find("apps/v1", "Deployment");
    server.groups = { ...served, "example.dev": [{ version: "v1", kinds: [widgets] }] };
    catalog.refresh();
    await clock.advance(1_000);
    expect(catalog.find("example.dev/v1", "Widget")).toBeDefined();
    expect(before).toBeDefined();
    expect(catalog.find("apps/v1", "Deployment")).toBe(before);
  });

  test("looks up a misspelt kind once, after a minute, and then with backoff, while a key needs it", async () => {
    const { catalog, clock, server, take } = aCatalog();
    const asked: number[] = [];
    const answers: unknown[] = [];
    // A Release that is reconciled whenever it is requeued.
    const reconcile = () => void answers.push(catalog.ask("apps/v1", "Deploymint", "shop/a"));
    reconcile();
    for (let second = 0; second < 3_600; second += 1) {
      const looks = server.looks;
      await clock.advance(1_000);
      if (server.looks > looks) asked.push(second);
      if (take().length > 0) reconcile();
    }
    expect(asked.length).toBeLessThan(12);
    const gaps = asked.slice(1).map((at, index) => at - (asked[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(59);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(601);
    expect(answers[0]).toEqual({ state: "pending" });
    expect(answers.at(-1)).toMatchObject({
      state: "absent",
      message: expect.stringContaining("no Deploymint in apps/v1"),
    });
    // The kind is no longer requested.
    await clock.advance(3 * 600_000);
    const looks = server.looks;
    await clock.advance(24 * 3_600_000);
    expect(server.looks).toBe(looks);
  });

  test("sends no further request for repeated lookups of an unknown kind", async () => {
    const { catalog, clock, server } = aCatalog();
    catalog.ask("apps/v1", "Deploymint", "shop/a");
    await clock.advance(1_000);
    for (let times = 0; times < 1_000; times += 1) {
      catalog.ask("apps/v1", "Deploymint", `shop/${times % 10}`);
      await clock.advance(50);
    }
    // 50 seconds have passed.
    expect(server.looks).toBe(1);
  });

  test("finds a kind that is installed in the meantime", async () => {
    const { catalog, clock, server, take } = aCatalog();
    catalog.ask("example.dev/v1", "Widget", "shop/a");
    await clock.advance(1_000);
    expect(take()).toEqual(["shop/a"]);
    expect(catalog.ask("example.dev/v1", "Widget", "shop/a").state).toBe("absent");
    server.groups = { ...served, "example.dev": [{ version: "v1", kinds: [widgets] }] };
    expect(await clock.advanceUntil(() => catalog.find("example.dev/v1", "Widget") !== undefined)).toBe(true);
    expect(take()).toEqual(["shop/a"]);
  });

  test("finds a kind as soon as a definition of a set is established, and not after its deletion", async () => {
    const { catalog, clock, server, take } = aCatalog();
    catalog.ask("example.dev/v1", "Widget", "shop/a");
    await clock.advance(1_000);
    take();
    catalog.ask("example.dev/v1", "Widget", "shop/a");
    catalog.learn(aDefinition("False"));
    expect(take()).toEqual([]);
    const looks = server.looks;
    catalog.learn(aDefinition("True"));
    // Without a request, and before time passes.
    expect(server.looks).toBe(looks);
    expect(take()).toEqual(["shop/a"]);
    expect(catalog.ask("example.dev/v1", "Widget", "shop/a").state).toBe("known");
    // Discovery finds it later.
    await clock.advance(10_000);
    expect(catalog.find("example.dev/v1", "Widget")).toBeDefined();
    catalog.unlearn(aDefinition("True"));
    expect(catalog.find("example.dev/v1", "Widget")).toBeUndefined();
  });

  test("runs discovery at once when an object that serves kinds has changed, but not for each change", async () => {
    const { catalog, clock, server } = aCatalog();
    catalog.refresh();
    await clock.advance(1_000);
    for (let times = 0; times < 50; times += 1) catalog.refresh();
    await clock.advance(100);
    expect(server.looks).toBe(2);
    await clock.advance(60_000);
    expect(server.looks).toBe(2);
  });

  test("runs discovery again for lookups and changes during a discovery", async () => {
    const { catalog, clock, server, take } = aCatalog();
    const { promise, resolve } = Promise.withResolvers<void>();
    server.gate = promise;
    catalog.ask("apps/v1", "Deployment", "shop/a");
    await clock.advance(100);
    expect(server.looks).toBe(1);
    expect(catalog.ask("example.dev/v1", "Widget", "shop/b").state).toBe("pending");
    resolve();
    await clock.advance(1_000);
    expect(server.looks).toBe(2);
    expect(take()).toEqual(["shop/a", "shop/b"]);
    expect(catalog.ask("example.dev/v1", "Widget", "shop/b").state).toBe("absent");
  });

  test("reports once that the API server does not respond, and retries with backoff", async () => {
    const { catalog, clock, server, log, take } = aCatalog();
    server.failure = new Error("connect ECONNREFUSED");
    expect(catalog.ask("apps/v1", "Deployment", "shop/a").state).toBe("pending");
    await clock.advance(500);
    expect(take()).toEqual(["shop/a"]);
    expect(catalog.ask("apps/v1", "Deployment", "shop/a")).toMatchObject({
      state: "unavailable",
      message: expect.stringContaining("ECONNREFUSED"),
    });
    await clock.advance(600_000);
    expect(server.looks).toBeLessThan(20);
    expect(log.messages("warn")).toEqual(["Cannot discover kinds"]);
    expect(take()).toEqual([]);
    server.failure = undefined;
    expect(await clock.advanceUntil(() => catalog.hasSynced)).toBe(true);
    expect(take()).toEqual(["shop/a"]);
    expect(catalog.find("apps/v1", "Deployment")).toBeDefined();
  });

  test.for([{ isLegacy: false }, { isLegacy: true }])(
    "keeps the kinds of a group whose own API server is unavailable, and distinguishes this from a kind that does not exist (%j)",
    async ({ isLegacy }) => {
      const metrics = { plural: "metrics", kind: "Metric" };
      const up: ServedGroups = { ...served, "metrics.k8s.io": [{ version: "v1", kinds: [metrics] }] };
      const { catalog, clock, server } = aCatalog(up);
      server.isLegacy = isLegacy;
      catalog.refresh();
      await clock.advance(1_000);
      const known = catalog.find("metrics.k8s.io/v1", "Metric");
      expect(known).toBeDefined();
      if (isLegacy) server.down.add("metrics.k8s.io/v1");
      else
        server.groups = { ...served, "metrics.k8s.io": [{ version: "v1", kinds: [], freshness: "Stale" }] };
      catalog.ask("metrics.k8s.io/v1", "Other", "shop/a");
      catalog.ask("apps/v1", "Other", "shop/a");
      await clock.advance(1_000);
      expect(catalog.find("metrics.k8s.io/v1", "Metric")).toBe(known);
      expect(catalog.find("apps/v1", "Deployment")).toBeDefined();
      expect(catalog.ask("metrics.k8s.io/v1", "Other", "shop/a").state).toBe("unavailable");
      expect(catalog.ask("apps/v1", "Other", "shop/a").state).toBe("absent");
    },
  );

  test.for([
    ["apps/v2", "Deployment", /, but in apps\/v1/],
    ["apps/v1", "deployment", /did you mean Deployment\?/],
    ["v1", "Review", /not a kind of object that a cluster stores/],
    ["example.dev/v1", "Widget", /install its CustomResourceDefinition/],
  ] as const)("reports the problem of %s %s", async ([apiVersion, kind, message]) => {
    const review = { plural: "reviews", kind: "Review", verbs: ["create"] };
    const { catalog, clock } = aCatalog({ ...served, "": [{ version: "v1", kinds: [secrets, review] }] });
    catalog.ask(apiVersion, kind, "shop/a");
    await clock.advance(1_000);
    expect(catalog.ask(apiVersion, kind, "shop/a")).toMatchObject({
      state: "absent",
      message: expect.stringMatching(message),
    });
  });

  test("sends no request for a deleted Release", async () => {
    const { catalog, clock, server, take } = aCatalog();
    catalog.ask("apps/v1", "Deploymint", "shop/a");
    await clock.advance(1_000);
    take();
    catalog.ask("apps/v1", "Deploymint", "shop/a");
    catalog.forget("shop/a");
    await clock.advance(24 * 3_600_000);
    expect(server.looks).toBeLessThanOrEqual(2);
    expect(take()).toEqual([]);
  });

  test("finds a kind of a group in the version that the cluster prefers", async () => {
    const hpa = { plural: "horizontalpodautoscalers", kind: "HorizontalPodAutoscaler" };
    const { catalog, clock, take } = aCatalog({
      autoscaling: [
        { version: "v2", kinds: [hpa] },
        { version: "v1", kinds: [hpa] },
      ],
    });
    expect(catalog.askGroupKind("autoscaling", hpa.kind, "shop/a").state).toBe("pending");
    expect(catalog.askGroupKind("example.dev", "Widget", "shop/b").state).toBe("pending");
    await clock.advance(1_000);
    expect(take()).toEqual(["shop/a", "shop/b"]);
    expect(catalog.askGroupKind("autoscaling", hpa.kind, "shop/a")).toMatchObject({
      kind: { version: "v2" },
    });
    expect(catalog.findGroupKind("autoscaling", hpa.kind)?.version).toBe("v2");
    expect(catalog.askGroupKind("example.dev", "Widget", "shop/b")).toMatchObject({ state: "absent" });
    catalog.learn(aDefinition());
    expect(take()).toEqual(["shop/b"]);
  });
});
