import { SpanStatusCode, trace } from "@opentelemetry/api";
import { describe, expect, onTestFinished, test } from "vitest";
import { ConfigMap } from "../../../crds/core-kinds.ts";
import { composeTracing } from "../../../operator/compose/compose-tracing.ts";
import { createKindController } from "../../../operator/desire/kind-controller.ts";
import { builtInShapeOf } from "../../../operator/engine/kind-shapes.ts";
import { ApiUnavailableError } from "../../../operator/errors.ts";
import type { Publisher } from "../../../operator/ports.ts";
import { TrustedTime } from "../../../operator/runtime/trusted-time.ts";
import { createSynthesizer } from "../../../synth/synthesizer.ts";
import { FakeCluster } from "../../fakes/fake-cluster.ts";
import { aConfigMap, aGadgetKind, Gadget } from "../../fakes/gadget.ts";
import { MemoryTracer } from "../../fakes/memory-tracer.ts";
import { aLiveObject } from "../../fakes/objects.ts";
import { WatchedKinds } from "../../fakes/watched-kinds.ts";

const publisher: Publisher = {
  publish: () => ({ state: "published", record: { digest: "d", tree: "t", commit: "c" } }),
  retire: () => undefined,
};

/** Reconciles one resource with two children, with a tracer that is registered like an SDK's. */
async function reconcileOnce({ refuse }: { readonly refuse?: Error } = {}) {
  const tracer = new MemoryTracer();
  trace.setGlobalTracerProvider(tracer);
  onTestFinished(() => trace.disable());
  const kind = aGadgetKind({ children: [ConfigMap] });
  await using watched = new WatchedKinds({ kinds: [kind] });
  const cluster = new FakeCluster();
  if (refuse !== undefined) cluster.refuse("apply ConfigMap/b", refuse);
  const parts = await composeTracing(
    { cluster, publisher, synthesize: createSynthesizer() },
    { tracing: true },
  );
  const controller = createKindController({
    ...parts,
    kind,
    place: "here",
    stores: watched.stores,
    shapeOf: builtInShapeOf,
    events: { record: () => undefined },
    onGone: () => undefined,
    metrics: undefined,
    isLeading: () => true,
    workers: 1,
    clock: watched.clock,
    time: new TrustedTime(watched.clock),
    random: () => 0.5,
    log: watched.log,
  });
  const running = controller.run({
    gate: Promise.resolve({ sinceMs: 0 }),
    signal: new AbortController().signal,
  });
  const fields = { spec: { objects: [aConfigMap("a"), aConfigMap("b")] } };
  cluster.put(aLiveObject({ kind: Gadget, name: "web", fields }));
  watched.source("resource", Gadget).put({ name: "web", fields });
  await watched.start();
  controller.queue.shutDown();
  await running;
  return { spans: tracer.spans, log: watched.log };
}

describe("tracing", () => {
  test("shows a reconcile with its operations below it", async () => {
    const { spans } = await reconcileOnce();
    expect(spans.map(({ name, parent }) => `${parent ?? "nothing"} > ${name}`)).toEqual([
      "nothing > reconcile",
      "reconcile > synthesize",
      "reconcile > apply",
      "reconcile > apply",
      "reconcile > publish",
      "reconcile > status",
    ]);
    expect(spans.every(({ hasEnded, status }) => hasEnded && status === undefined)).toBe(true);
    expect(spans[0]?.attributes).toEqual({
      "fairlead.controller": "gadgets.example.dev",
      "fairlead.name": "web",
      "k8s.namespace.name": "shop",
    });
    expect(spans[2]?.attributes).toEqual({
      "fairlead.kind": "ConfigMap",
      "fairlead.name": "a",
      "k8s.namespace.name": "shop",
      "fairlead.mode": "create",
    });
    expect(spans[4]?.attributes["fairlead.publish.state"]).toBe("published");
  });

  test("shows where a reconcile failed, and the log contains the trace id", async () => {
    const refuse = new ApiUnavailableError("Cannot apply", { status: 500 });
    const { spans, log } = await reconcileOnce({ refuse });
    const failed = spans.filter(({ status }) => status?.code === SpanStatusCode.ERROR);
    expect(failed.map(({ name }) => name)).toEqual(["reconcile", "apply"]);
    expect(failed[1]?.exceptions).toEqual(["Cannot apply"]);
    const ids = { traceID: "0af7651916cd43dd8448eb211c80319c", spanID: spans[0]?.spanId };
    const told = log.entries.find(({ message }) => message === "Resource not ready");
    expect(told?.fields).toMatchObject({ reason: "ApplyFailed", ...ids });
  });

  test("wraps nothing when it is off", async () => {
    const parts = { cluster: new FakeCluster(), publisher, synthesize: createSynthesizer() };
    expect(await composeTracing(parts, { tracing: false })).toBe(parts);
  });

  test("shows the requests of a Release, also those with impersonation", async () => {
    const tracer = new MemoryTracer();
    trace.setGlobalTracerProvider(tracer);
    onTestFinished(() => trace.disable());
    const own = new FakeCluster();
    const parts = { cluster: own, publisher, synthesize: createSynthesizer() };
    const { cluster } = await composeTracing(parts, { tracing: true });
    const acting = cluster.until(new AbortController().signal).as(undefined);
    await acting.read({ kind: ConfigMap, namespace: "shop", name: "a" });
    expect(tracer.spans.map(({ name }) => name)).toEqual(["read"]);
  });
});
