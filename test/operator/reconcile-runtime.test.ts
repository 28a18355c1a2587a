import { describe, expect, test } from "vitest";
import { runtime } from "../../charts/bindings.ts";
import type { LiveObject } from "../../crds/object.ts";
import type { TimeSource } from "../../operator/engine/run-clock.ts";
import { ReplacedError } from "../../operator/errors.ts";
import type { Clock } from "../../operator/ports.ts";
import { TrustedTime } from "../../operator/runtime/trusted-time.ts";
import { idOf } from "../../synth/manifest.ts";
import { ReconcileBench } from "../fakes/reconcile-bench.ts";
import type { ResourceOptions } from "../fakes/resources.ts";
import { aDeployment, aRuntime, aSpec, at, type PodState } from "../fakes/runtimes.ts";

const start = (value: string) => ({ "fairlead.dev/restarted-at": value });

function deploymentIn(bench: ReconcileBench): LiveObject {
  const found = [...bench.cluster.objects.values()].find(({ kind }) => kind === "Deployment");
  if (found === undefined) throw new Error("there is no Deployment");
  return found;
}

const replicasIn = (bench: ReconcileBench): unknown =>
  (deploymentIn(bench)["spec"] as { readonly replicas: number }).replicas;

/** The Deployment controller reports this about the current Deployment. */
function report(bench: ReconcileBench, state: PodState): void {
  bench.deliver(bench.cluster.put(aDeployment(state, deploymentIn(bench))));
}

/** A Runtime of 60 s whose pod was available at the start of the clock. */
async function running(spec: object = {}, options: ResourceOptions = {}) {
  const bench = new ReconcileBench({ kind: runtime, resource: { spec: aSpec(spec), ...options } });
  bench.edit(aRuntime(spec, options));
  await bench.reconcile();
  report(bench, { since: at(0) });
  const result = await bench.reconcile();
  bench.takeRequests();
  const edit = (more: object, others: ResourceOptions = {}) =>
    bench.edit(aRuntime({ ...spec, ...more }, { ...options, generation: 2, ...others }));
  const later = async (seconds: number) => {
    await bench.clock.advance(seconds * 1_000 - (bench.clock.wallClock().getTime() - Date.parse(at(0))));
    return await bench.reconcile();
  };
  return { bench, result, edit, later };
}

describe("a Runtime", () => {
  test("reports when it ends, and is deleted then and not before", async () => {
    const { bench, result, later } = await running();
    expect(bench.resource.status).toMatchObject({ phase: "Running", readyAt: at(0), expiresAt: at(60) });
    expect(result).toEqual({ requeueAfterMs: 60_000 });
    expect(await later(59)).toEqual({ requeueAfterMs: 1_000 });
    expect(bench.takeRequests()).toEqual([]);
    await later(60);
    expect(bench.takeRequests()).toEqual(["delete Runtime/web"]);
    expect(bench.events.at(-1)).toMatchObject({
      reason: "Expired",
      note: `Deleted: it expired at ${at(60)}`,
    });
  });

  test.for([0, 1, 500, 999])(
    "is deleted within 2 s of its end, and not before, by a server whose Date header is %i ms behind",
    async (behindMs) => {
      // A Date header has whole seconds.
      const time = (clock: Clock): TimeSource => {
        const trusted = new TrustedTime(clock);
        trusted.observe(new Date(clock.wallClock().getTime() - behindMs).toISOString());
        return trusted;
      };
      const bench = new ReconcileBench({ kind: runtime, resource: { spec: aSpec() }, time });
      bench.edit(aRuntime());
      await bench.reconcile();
      report(bench, { since: at(0) });
      let reconciles = 0;
      while (bench.resource !== undefined && reconciles++ < 10) {
        const { requeueAfterMs = 0 } = await bench.reconcile();
        await bench.clock.advance(requeueAfterMs);
      }
      expect(bench.takeRequests().at(-1)).toBe("delete Runtime/web");
      const lateMs = bench.clock.wallClock().getTime() - Date.parse(at(60));
      expect(lateMs).toBe(behindMs);
      expect(reconciles).toBeLessThanOrEqual(3);
    },
  );

  test("is deleted later if it is extended", async () => {
    const { bench, edit, later } = await running();
    await later(30);
    edit({ ttlSeconds: 90 });
    expect(await later(60)).toEqual({ requeueAfterMs: 30_000 });
    expect(bench.resource.status).toMatchObject({ expiresAt: at(90) });
    await later(90);
    expect(bench.takeRequests().at(-1)).toBe("delete Runtime/web");
  });

  test("is kept if it is extended exactly at its end", async () => {
    const { bench, later } = await running();
    // The watch has not reported it yet.
    const { resource } = bench;
    bench.cluster.put({ ...resource, spec: aSpec({ ttlSeconds: 90 }) });
    await expect(later(60)).rejects.toThrow(ReplacedError);
    expect(bench.cluster.objects.has(idOf(resource))).toBe(true);
  });

  test("is stopped and keeps its volume, and continues when it is extended", async () => {
    const storage = { size: "1Gi", mountPath: "/data" };
    const { bench, edit, later } = await running({ onExpiry: "stop", storage });
    await later(60);
    expect(bench.takeRequests()).toEqual(["apply Deployment/web", "status Runtime/web"]);
    expect(replicasIn(bench)).toBe(0);
    expect(bench.resource.status).toMatchObject({ phase: "Stopped" });
    expect(bench.condition("Healthy")).toBe("True Suspended");
    report(bench, { since: at(60), replicas: 0 });
    expect(await later(70)).toEqual({});
    edit({ ttlSeconds: 90 });
    await later(80);
    expect(replicasIn(bench)).toBe(1);
    // It is the same start, with more time.
    expect(bench.resource.status).toMatchObject({ readyAt: at(0), expiresAt: at(90), restarts: 0 });
  });

  test("that is stopped has its full time again after a start on request", async () => {
    const { bench, edit, later } = await running({ onExpiry: "stop" });
    await later(60);
    edit({}, { generation: 1, annotations: start("again") });
    await later(70);
    expect(replicasIn(bench)).toBe(1);
    expect(bench.resource.status).toMatchObject({ phase: "Starting", restartedAt: "again", restarts: 1 });
    expect(bench.resource.status).not.toHaveProperty("expiresAt");
    report(bench, { since: at(75) });
    await later(76);
    expect(bench.resource.status).toMatchObject({ phase: "Running", expiresAt: at(135) });
  });

  test("warns once before its end, and again before a later one", async () => {
    const { bench, edit, later } = await running({ warnBeforeSeconds: 20 });
    const told = () => bench.events.filter(({ reason }) => reason === "Expiring").map(({ note }) => note);
    expect(await later(39)).toEqual({ requeueAfterMs: 1_000 });
    expect(told()).toEqual([]);
    await later(40);
    await later(50);
    expect(bench.events.filter(({ reason }) => reason === "Expiring")).toMatchObject([{ type: "Warning" }]);
    expect(bench.condition("Expiring")).toBe("True Expiring");
    edit({ ttlSeconds: 90 });
    await later(51);
    expect(bench.condition("Expiring")).toBeUndefined();
    await later(70);
    expect(told()).toEqual([
      `Is deleted at ${at(60)}; raise spec.ttlSeconds to keep it longer`,
      `Is deleted at ${at(90)}; raise spec.ttlSeconds to keep it longer`,
    ]);
  });

  test("that another tool declares loses its objects, which are recreated after a start on request", async () => {
    const labels = { "argocd.argoproj.io/instance": "shop" };
    const { bench, edit, later } = await running({}, { labels });
    await later(60);
    expect(bench.takeRequests()).toEqual(["delete Deployment/web", "status Runtime/web"]);
    expect(bench.condition("Expired")).toBe("True DeclaredElsewhere");
    expect(bench.resource.status).toMatchObject({ phase: "Expired" });
    edit({}, { generation: 1, annotations: start("again") });
    await later(70);
    expect(replicasIn(bench)).toBe(1);
    expect(bench.condition("Expired")).toBeUndefined();
  });
});
