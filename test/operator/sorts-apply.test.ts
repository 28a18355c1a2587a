import { trace } from "@opentelemetry/api";
import { describe, expect, onTestFinished, test } from "vitest";
import { ApiUnavailableError, ObjectRejectedError, ReplacedError } from "../../operator/errors.ts";
import { traceCluster } from "../../operator/telemetry/traced-ports.ts";
import { loadTracing } from "../../operator/telemetry/tracing.ts";
import { idOf, stamps } from "../../synth/manifest.ts";
import { anAddingKind, aSoughtPod } from "../fakes/adding-kind.ts";
import { aConfigMap } from "../fakes/gadget.ts";
import { MemoryTracer } from "../fakes/memory-tracer.ts";
import { ReconcileBench } from "../fakes/reconcile-bench.ts";
import { noteSenders } from "../fakes/senders.ts";
import { changeMetadata, messageOf, type Scene, settle, sorts, taken } from "../fakes/sorts.ts";

const map = (name: string, x = "1") => aConfigMap(name, { data: { x } });
const extra = { apiVersion: "v1", kind: "Namespace", metadata: { name: "extra" } };
const container = { name: "migrate", image: "migrate" };
const job = {
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: "migrate" },
  spec: { template: { spec: { restartPolicy: "Never", containers: [container] } } },
};

const changed = ({ bench }: Scene, kind: string, name: string, fields: object): void => {
  const live = bench.live(kind, name);
  if (live === undefined) throw new Error(`there is no ${kind} ${name}`);
  bench.deliver(bench.cluster.put({ ...live, ...fields }));
};

/** Most Releases are ready within this time: their statuses are withheld until then. */
const untilTold = async ({ bench }: Scene): Promise<void> => {
  await bench.clock.advance(2_000);
  await bench.reconcile();
};

describe.each(sorts)("converging $name", ({ begin }) => {
  test("sends nothing without a change, and corrects changes of others", async () => {
    const scene = begin([map("a"), map("b")]);
    await settle(scene);
    changed(scene, "ConfigMap", "a", { data: { x: "by hand" } });
    await scene.bench.reconcile();
    expect(taken(scene, "apply")).toEqual(["apply ConfigMap/a"]);
    expect(scene.bench.live("ConfigMap", "a")).toMatchObject({ data: { x: "1" } });
  });

  test("applies an object when the objects that it needs are healthy, and reports what it waits for", async () => {
    const scene = begin([{ ...map("settings"), needs: ["migrate"] }, job]);
    await scene.bench.reconcile();
    expect(taken(scene, "apply")).toEqual(["apply Job/migrate"]);
    await untilTold(scene);
    expect(scene.bench.condition("Applied")).toMatch(/^False/);
    expect(messageOf(scene, "Applied")).toContain("ConfigMap shop/settings waits for Job shop/migrate");
    const status = { succeeded: 1, conditions: [{ type: "Complete", status: "True" }] };
    changed(scene, "Job", "migrate", { status });
    await scene.bench.reconcile();
    expect(taken(scene, "apply")).toEqual(["apply ConfigMap/settings"]);
    expect(scene.bench.condition("Applied")).toBe("True Applied");
  });

  test("has failed when an object that another one needs has failed, or is not healthy in time", async () => {
    const scene = begin([{ ...map("settings"), needs: ["migrate"] }, job]);
    await scene.bench.reconcile();
    await untilTold(scene);
    expect(scene.bench.condition("Ready")).toBe("False Progressing");
    await scene.bench.clock.advance(300_000);
    await scene.bench.reconcile();
    expect(scene.bench.condition("Ready")).toBe("False Failed");
    expect(scene.bench.condition("Stalled")).toBe("True Failed");
    const waits = "ConfigMap shop/settings waits for Job shop/migrate";
    expect(messageOf(scene, "Ready")).toMatch(new RegExp(`^.*${waits}.*; .*longer than its timeout of 5m`));
    changed(scene, "Job", "migrate", { status: { conditions: [{ type: "Failed", status: "True" }] } });
    await scene.bench.reconcile();
    expect(scene.bench.condition("Ready")).toBe("False Failed");
    expect(messageOf(scene, "Ready")).not.toContain("timeout");
  });

  test("fails an object that is not healthy at the end of its timeout", async () => {
    const scene = begin([{ ...job, metadata: { name: "slow" } }]);
    await scene.bench.reconcile();
    await untilTold(scene);
    expect(scene.bench.condition("Ready")).toBe("False Progressing");
    await scene.bench.clock.advance(300_000);
    await scene.bench.reconcile();
    expect(scene.bench.condition("Ready")).toBe("False Failed");
    expect(messageOf(scene, "Ready")).toContain("not healthy for longer than its timeout of 5m");
  });

  test("acts as the account that the resource names, for its objects only", async () => {
    const scene = begin([map("a"), extra], { account: "deployer" });
    const sent = noteSenders(scene.bench.cluster);
    await scene.bench.reconcile();
    expect(sent).toEqual(["deployer apply Namespace/extra", "deployer apply ConfigMap/a"]);
    changed(scene, "ConfigMap", "a", { data: {} });
    changeMetadata(scene, { deletionTimestamp: "2026-01-01T00:00:00Z" });
    await scene.bench.reconcile();
    expect(sent.slice(2)).toEqual(["deployer delete ConfigMap/a", "deployer delete Namespace/extra"]);
  });

  test("adopts an object that its owner hands over, in place, and reports it", async () => {
    const scene = begin([map("a")]);
    const annotations = { [stamps.adoptBy]: `${scene.kind.toLowerCase()}/web` };
    const metadata = { name: "a", namespace: "shop", uid: "old", resourceVersion: "5", annotations };
    scene.bench.cluster.put({ ...aConfigMap("a"), metadata, ours: false });
    await scene.bench.reconcile();
    expect(scene.bench.live("ConfigMap", "a")).toMatchObject({
      metadata: { uid: "old" },
      data: { x: "1" },
      ours: true,
    });
    expect(scene.bench.events.map(({ reason }) => reason)).toContain("Adopted");
    await settle(scene);
    expect(scene.bench.condition("Applied")).toBe("True Applied");
  });

  test("does not change an object of another owner, and names the owner", async () => {
    const scene = begin([map("a")]);
    const metadata = { name: "a", namespace: "shop", uid: "theirs", resourceVersion: "5" };
    scene.bench.cluster.put({ ...map("a", "theirs"), metadata, ours: false });
    const { requeueAfterMs } = await scene.bench.reconcile();
    expect(scene.bench.live("ConfigMap", "a")).toMatchObject({
      metadata: { uid: "theirs" },
      data: { x: "theirs" },
    });
    expect(scene.bench.condition("Applied")).toBe("False NotOwned");
    expect(requeueAfterMs).toBeGreaterThan(10_000);
  });

  test("retries an object that fails temporarily beside a rejected one, and reports the rejection", async () => {
    const scene = begin([map("a"), map("b"), map("c")]);
    const { bench } = scene;
    bench.cluster.refuse("apply ConfigMap/a", new ObjectRejectedError("/ConfigMap/shop/a", "no"));
    bench.cluster.refuse("apply ConfigMap/b", new ApiUnavailableError("no answer", { status: 503 }));
    const metadata = { name: "c", namespace: "shop", uid: "theirs", resourceVersion: "5" };
    bench.cluster.put({ ...map("c", "theirs"), metadata, ours: false });
    await expect(bench.reconcile()).rejects.toThrow("no answer");
    expect(messageOf(scene, "Applied")).toContain("The API server refuses ConfigMap shop/a");
    expect(bench.blocked).toEqual(["shop/web /ConfigMap/shop/c"]);
    bench.takeRequests();
    await bench.reconcile();
    expect(taken(scene, "apply")).toContain("apply ConfigMap/b");
  });

  test("adds to objects of other owners last", async (context) => {
    const { lacks } = sorts.find((sort) => sort.begin === begin) ?? {};
    context.skip(lacks?.additions !== undefined, lacks?.additions);
    const resource = { labels: { seeks: "shop" }, spec: { objects: [map("own")] } };
    const bench = new ReconcileBench({ kind: anAddingKind(), resource });
    bench.deliver(bench.cluster.put(aSoughtPod("a")));
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual([
      "apply ConfigMap/own",
      "add Pod/a ephemeralcontainers",
      "status Gadget/web",
    ]);
  });
});

describe.each(sorts)("an object of $name that another client deleted", ({ begin }) => {
  async function aLoss(): Promise<Scene> {
    const scene = begin([map("a"), map("b")]);
    await settle(scene);
    const live = scene.bench.live("ConfigMap", "a");
    if (live === undefined) throw new Error("there is no ConfigMap a");
    scene.bench.vanish(live);
    scene.bench.lost.note(live, ["shop/web"]);
    return scene;
  }

  test("is recreated after one read that confirms the resource, and reported once", async () => {
    const scene = await aLoss();
    await scene.bench.reconcile();
    expect(scene.bench.takeRequests().slice(0, 2)).toEqual([`read ${scene.kind}/web`, "apply ConfigMap/a"]);
    await scene.bench.reconcile();
    const restored = scene.bench.events.filter(({ reason }) => reason === "Restored");
    expect(restored).toMatchObject([{ note: "Restored ConfigMap shop/a: it was deleted" }]);
    expect(scene.bench.counts.get("restored")).toBe(1);
  });

  test("is not recreated if the resource is deleted, although the event has not arrived", async () => {
    const scene = await aLoss();
    scene.bench.cluster.objects.delete(idOf(scene.bench.resourceAt("shop/web")));
    await expect(scene.bench.reconcile()).rejects.toThrow(ReplacedError);
    expect(scene.bench.takeRequests()).toEqual([`read ${scene.kind}/web`]);
    expect(scene.bench.live("ConfigMap", "a")).toBeUndefined();
  });
});

describe.each(sorts)("the spans of a reconcile of $name", ({ begin }) => {
  /** The name of the span of each request. */
  const spanOf = (request: string): string => {
    const [verb = ""] = request.split(" ");
    return verb === "metadata" ? "finalizers" : verb;
  };

  test("include each of its requests as a child", async () => {
    const tracer = new MemoryTracer();
    trace.setGlobalTracerProvider(tracer);
    onTestFinished(() => trace.disable());
    const tracing = await loadTracing("test");
    const scene = begin([map("a"), map("b")]);
    const { bench } = scene;
    Object.assign(bench.cluster, { until: () => traceCluster(bench.cluster, tracing) });
    const reconcile = tracing.reconcile("things", (key) => bench.reconcile(key));
    await reconcile("shop/web", { signal: new AbortController().signal, log: bench.log });
    const requests = bench.takeRequests();
    expect(requests).toContain("apply ConfigMap/a");
    expect(tracer.spans.map(({ name, parent }) => `${parent ?? "nothing"} > ${name}`)).toEqual([
      "nothing > reconcile",
      ...requests.map((request) => `reconcile > ${spanOf(request)}`),
    ]);
    expect(tracer.spans.every(({ hasEnded, status }) => hasEnded && status === undefined)).toBe(true);
  });
});
