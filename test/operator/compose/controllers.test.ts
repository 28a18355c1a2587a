import { describe, expect, test } from "vitest";
import { ConfigMap } from "../../../crds/core-kinds.ts";
import type { KindController } from "../../../operator/compose/controllers.ts";
import { createKindController } from "../../../operator/desire/kind-controller.ts";
import { builtInShapeOf } from "../../../operator/engine/kind-shapes.ts";
import { NamespaceTerminatingError, ObjectRejectedError } from "../../../operator/errors.ts";
import type { Leadership } from "../../../operator/runtime/controller.ts";
import { TrustedTime } from "../../../operator/runtime/trusted-time.ts";
import { stamps } from "../../../synth/manifest.ts";
import type { SynthesizableKind } from "../../../synth/synthesize.ts";
import { createSynthesizer } from "../../../synth/synthesizer.ts";
import { FakeCluster } from "../../fakes/fake-cluster.ts";
import { aConfigMap, aGadgetKind, Gadget } from "../../fakes/gadget.ts";
import { aLiveObject } from "../../fakes/objects.ts";
import { WatchedKinds, type WatchedKindsOptions } from "../../fakes/watched-kinds.ts";

const kind = aGadgetKind({ children: [ConfigMap] });
const wanting = (...names: readonly string[]) => ({
  spec: { objects: names.map((name) => aConfigMap(name, { data: { x: "1" } })) },
});

interface RunOptions extends WatchedKindsOptions {
  readonly kinds?: readonly SynthesizableKind[];
}

/** A leading controller, between watches and an API server in memory. */
class RunningController implements AsyncDisposable {
  readonly cluster = new FakeCluster();
  readonly watched: WatchedKinds;
  readonly gone: string[] = [];
  readonly events: string[] = [];
  readonly controllers: readonly KindController[];
  readonly #running: Promise<unknown>;

  private constructor({ kinds = [kind], ...options }: RunOptions) {
    this.watched = new WatchedKinds({ kinds, ...options });
    const { stores, clock, log } = this.watched;
    // The server has the resources that their watch shows.
    const read = this.cluster.read.bind(this.cluster);
    this.cluster.read = async (ref) => {
      const found = await read(ref);
      const isResource = kinds.some(({ definition }) => definition === ref.kind);
      return (
        found ?? (isResource ? stores.resources(ref.kind).get(`${ref.namespace}/${ref.name}`) : undefined)
      );
    };
    this.controllers = kinds.map((one) =>
      createKindController({
        kind: one,
        stores,
        ...{ cluster: this.cluster, shapeOf: builtInShapeOf, publisher: undefined },
        place: "here",
        events: { record: (_, { reason, note }) => void this.events.push(`${reason}: ${note}`) },
        synthesize: createSynthesizer(),
        onGone: ({ metadata }) => void this.gone.push(metadata.name),
        metrics: undefined,
        isLeading: () => true,
        workers: 2,
        clock,
        time: new TrustedTime(clock),
        random: () => 0.5,
        log,
      }),
    );
    const { signal } = new AbortController();
    const gate = Promise.resolve({ sinceMs: 0 });
    this.#running = Promise.all(this.controllers.map(({ run }) => run({ gate, signal })));
  }

  static async start(options: RunOptions = {}) {
    const running = new RunningController(options);
    await running.watched.start();
    // Versions in the server's responses to writes begin at 100.
    for (const { kind: one, role, namespace } of running.watched.stores.watched)
      running.watched.source(role, one, namespace).skipVersions(10_000);
    return running;
  }

  /**
   * Runs everything that is due without advancing time, and returns the requests since the last call, without statuses.
   */
  async requests(): Promise<readonly string[]> {
    await this.watched.clock.settle();
    return this.cluster.requests.splice(0).filter((request) => !request.startsWith("status"));
  }

  get resources() {
    return this.watched.source("resource", Gadget, this.watched.stores.watched[0]?.namespace);
  }

  get children() {
    return this.watched.source("child", ConfigMap, this.watched.stores.watched[0]?.namespace);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { queue } of this.controllers) queue.shutDown();
    await this.#running;
    await this.watched[Symbol.asyncDispose]();
  }
}

describe("a controller", () => {
  test("reconciles the resources of its watch events, and reports deleted ones", async () => {
    await using run = await RunningController.start();
    run.resources.put({ name: "a", fields: wanting("x") });
    expect(await run.requests()).toEqual(["apply ConfigMap/x"]);
    run.resources.remove("shop/a");
    expect(await run.requests()).toEqual([]);
    expect(run.gone).toEqual(["a"]);
  });

  test("reports an object that another client deleted, and not one that it deletes itself", async () => {
    await using run = await RunningController.start();
    run.resources.put({ name: "a", fields: wanting("x", "y") });
    await run.requests();
    // The watch reports the creation, and then the deletion
    const made = run.cluster.objects.get("/ConfigMap/shop/x");
    if (made === undefined) throw new Error("it was made");
    const { resourceVersion: _, ...metadata } = made.metadata;
    run.children.put({ kind: ConfigMap, name: "x", metadata, fields: { data: made["data"] } });
    expect(await run.requests()).toEqual([]);
    run.cluster.objects.clear();
    run.children.remove("shop/x");
    run.cluster.skipVersions(20_000);
    expect(await run.requests()).toEqual(["read Gadget/a", "apply ConfigMap/x"]);
    expect(run.events).toEqual(["Restored: Restored ConfigMap shop/x: it was deleted"]);

    run.resources.put({ name: "a", generation: 2, fields: wanting("x") });
    expect(await run.requests()).toContain("delete ConfigMap/y");
    run.resources.put({ name: "a", generation: 3, fields: wanting("x", "y") });
    expect(await run.requests()).toContain("apply ConfigMap/y");
    expect(run.events.filter((event) => event.startsWith("Restored"))).toHaveLength(1);
  });

  test("retries a resource that was blocked by another resource's object, when that is deleted", async () => {
    await using run = await RunningController.start();
    const theirs = {
      kind: ConfigMap,
      name: "x",
      uid: "theirs",
      labels: { [stamps.set]: "applyset-theirs-v1" },
    };
    run.cluster.put(aLiveObject(theirs));
    run.children.put(theirs);
    run.resources.put({ name: "a", fields: wanting("x") });
    await run.requests();
    // Events of other objects change nothing
    run.resources.put({ name: "a", fields: wanting("x") });
    expect(await run.requests()).toEqual([]);

    run.cluster.objects.clear();
    run.children.remove("shop/x");
    expect(await run.requests()).toEqual(["apply ConfigMap/x"]);
  });

  test("retries a conflict a second after any object of that kind is deleted", async () => {
    await using run = await RunningController.start();
    const other = { kind: ConfigMap, name: "other", labels: { [stamps.set]: "applyset-theirs-v1" } };
    run.children.put(other);
    const taken = new ObjectRejectedError("/ConfigMap/shop/x", "port is taken", { isContested: true });
    run.cluster.refuse("apply ConfigMap/x", taken);
    run.resources.put({ name: "a", fields: wanting("x") });
    expect(await run.requests()).toEqual(["apply ConfigMap/x"]);
    // Its own retries are frequent at first, and then use backoff
    for (const waitMs of [252, 254, 508, 1_016, 2_032]) {
      run.cluster.refuse("apply ConfigMap/x", taken);
      await run.watched.clock.advance(waitMs);
      expect(await run.requests()).toEqual(["apply ConfigMap/x"]);
    }

    run.children.remove("shop/other");
    await run.watched.clock.advance(999);
    expect(await run.requests()).toEqual([]);
    await run.watched.clock.advance(1);
    expect(await run.requests()).toEqual(["apply ConfigMap/x"]);
  });

  test("applies an object again that was deleted and recreated, although its repair failed before", async () => {
    await using run = await RunningController.start();
    run.cluster.rewrite = (object) => ({ ...object, data: { x: "rewritten" } });
    run.resources.put({ name: "a", fields: wanting("x") });
    expect(await run.requests()).toEqual(["apply ConfigMap/x"]);
    const [live] = run.cluster.objects.values();
    if (live === undefined) throw new Error("nothing was applied");
    const { metadata, data } = live;
    const asSeen = {
      kind: ConfigMap,
      name: "x",
      uid: metadata.uid,
      metadata: { ...metadata },
      fields: { data },
    };
    const { resourceVersion: _, ...rest } = asSeen.metadata;
    run.children.put({ ...asSeen, metadata: rest });
    expect(await run.requests()).toEqual([]);
    run.children.remove("shop/x");
    expect(await run.requests()).toEqual([
      "read Gadget/a",
      "apply ConfigMap/x",
      "read ConfigMap/x",
      "apply ConfigMap/x",
    ]);
  });

  test("checks a namespace again that rejected a write, for every kind and not only the rejected one", async () => {
    const Gizmo = { ...Gadget, kind: "Gizmo", plural: "gizmos" };
    const kinds = [kind, { ...kind, definition: Gizmo }];
    await using run = await RunningController.start({ kinds, namespaces: ["shop"] });
    run.cluster.refuse("apply ConfigMap/x", new NamespaceTerminatingError("shop"));
    run.resources.put({ name: "a", fields: wanting("x") });
    expect(await run.requests()).toEqual(["apply ConfigMap/x"]);
    run.watched.source("resource", Gizmo, "shop").put({ kind: Gizmo, name: "b", fields: wanting("y") });
    expect(await run.requests()).toEqual([]);
    await run.watched.clock.advance(30_000);
    expect((await run.requests()).toSorted()).toEqual(["apply ConfigMap/x", "apply ConfigMap/y"]);
  });

  test("does nothing before it leads", async () => {
    await using watched = new WatchedKinds({ kinds: [kind] });
    const cluster = new FakeCluster();
    const controller = createKindController({
      kind,
      stores: watched.stores,
      ...{ cluster, shapeOf: builtInShapeOf, publisher: undefined },
      place: "here",
      events: { record: () => undefined },
      synthesize: createSynthesizer(),
      onGone: () => undefined,
      metrics: undefined,
      isLeading: () => true,
      workers: 2,
      clock: watched.clock,
      time: new TrustedTime(watched.clock),
      random: () => 0.5,
      log: watched.log,
    });
    const gate = Promise.withResolvers<Leadership>();
    const running = controller.run({ gate: gate.promise, signal: new AbortController().signal });
    watched.source("resource", Gadget).put({ name: "a", fields: wanting("x") });
    await watched.start();
    await watched.clock.advance(60_000);
    expect(cluster.requests).toEqual([]);
    gate.resolve({ sinceMs: 0 });
    await watched.clock.settle();
    expect(cluster.requests).toContain("apply ConfigMap/x");
    controller.queue.shutDown();
    await running;
  });
});
