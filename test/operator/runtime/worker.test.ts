import { describe, expect, test } from "vitest";
import { keyOf } from "../../../crds/object.ts";
import {
  AlreadyThereError,
  ApiUnavailableError,
  NotLeadingError,
  ReplacedError,
  TerminalError,
  UnsettledError,
} from "../../../operator/errors.ts";
import { WatchedStore } from "../../../operator/runtime/store.ts";
import type { FakeClock } from "../../fakes/fake-clock.ts";
import { aLiveObject, widgets } from "../../fakes/objects.ts";
import { fail, gaps, runOnFakes, scripted } from "../../fakes/workers-run.ts";

describe("runWorkers()", () => {
  test("reconciles a key that was added many times once (case 18)", async () => {
    const { queue, clock, calls } = runOnFakes(async () => ({}));
    for (let count = 0; count < 1_000; count++) queue.add("a");
    await clock.advance(1_000);
    // The first add woke the idle worker, all others are one more run.
    expect(calls.length).toBeLessThanOrEqual(2);
  });

  test("runs a key exactly once more that is added while it runs, with 16 workers (case 19)", async () => {
    let running = 0;
    let most = 0;
    let clockOfRun: FakeClock | undefined;
    const { queue, clock, calls } = runOnFakes(
      async () => {
        most = Math.max(most, ++running);
        await new Promise<void>((resolve) => clockOfRun?.schedule(1_000, resolve));
        running--;
        return {};
      },
      { workers: 16 },
    );
    clockOfRun = clock;
    queue.add("a");
    await clock.settle();
    for (let count = 0; count < 10; count++) queue.add("a");
    await clock.advance(10_000);
    expect(calls.map(({ atMs }) => atMs)).toEqual([0, 1_000]);
    expect(most).toBe(1);
  });

  test("does not delay other readers of the store, also if it is slow, and loses no event (case 16)", async () => {
    const store = new WatchedStore({ kind: widgets, indexes: {} });
    const mayGoOn = Promise.withResolvers<void>();
    const seen: (string | undefined)[] = [];
    const slow = runOnFakes(async (key) => {
      await mayGoOn.promise;
      seen.push(store.get(key)?.metadata.resourceVersion);
      return {};
    });
    const fast: string[] = [];
    store.subscribe({
      added: (object) => slow.queue.add(keyOf(object)),
      updated: (_, object) => slow.queue.add(keyOf(object)),
      deleted: () => {},
    });
    store.subscribe({
      added: ({ metadata }) => fast.push(metadata.resourceVersion),
      updated: (_, { metadata }) => fast.push(metadata.resourceVersion),
      deleted: () => {},
    });
    const versions = Array.from({ length: 10_000 }, (_, index) => String(index + 1));
    for (const resourceVersion of versions) {
      store.apply({ type: "MODIFIED", object: aLiveObject({ resourceVersion }) });
      if (resourceVersion === "1") await slow.clock.settle();
    }
    expect(fast).toEqual(versions);
    // One key waits for the slow one, not 10,000 events.
    mayGoOn.resolve();
    await slow.clock.settle();
    expect(seen).toEqual(["10000", "10000"]);
  });

  test("retries a failing key after 5 ms x 2^n, at most 1000 s, and from 5 ms after a success (case 20)", async () => {
    const { queue, clock, calls, told } = runOnFakes(scripted(...Array.from({ length: 20 }, () => fail)));
    queue.add("a");
    await clock.advance(4_000_000);
    expect(calls).toHaveLength(21);
    const waits = gaps(calls);
    expect(waits.slice(0, 3)).toEqual([5, 10, 20]);
    expect(waits.slice(-3)).toEqual([655_360, 1_000_000, 1_000_000]);
    expect(told.slice(-2)).toEqual(["started", "success 0"]);

    queue.retry("a");
    expect(clock.pendingDelaysMs).toEqual([5]);
  });

  test("waits for the requested time, which also clears the failures (case 21)", async () => {
    const { queue, clock, calls, told } = runOnFakes(
      scripted(fail, fail, () => ({ requeueAfterMs: 3_000 }), fail),
    );
    queue.add("a");
    await clock.advance(60_000);
    expect(gaps(calls)).toEqual([5, 10, 3_000, 5]);
    expect(told.filter((word) => word !== "started")).toEqual([
      "error 0",
      "error 0",
      "requeue_after 0",
      "error 0",
      "success 0",
    ]);
  });

  test("ignores a requested delay that is returned with an error, and warns (case 22)", async () => {
    const { queue, clock, calls, log } = runOnFakes(
      scripted(() => {
        throw Object.assign(new Error("no"), { requeueAfterMs: 3_600_000 });
      }),
    );
    queue.add("a");
    await clock.advance(10_000);
    expect(gaps(calls)).toEqual([5]);
    expect(log.messages("warn")).toEqual(["Ignored requeueAfterMs of a failed reconcile"]);
  });

  test("does not retry a terminal error but counts and logs it (case 23)", async () => {
    const { queue, clock, calls, told, log } = runOnFakes(
      scripted(fail, () => {
        throw new TerminalError("for good");
      }),
    );
    queue.add("a");
    await clock.advance(5_000);
    expect(calls).toHaveLength(2);
    expect(told.slice(2)).toEqual(["started", "error 0", "terminal"]);
    expect(log.messages("error")).toEqual(["Reconcile failed", "Reconcile failed and will not be retried"]);
    queue.add("a");
    await clock.settle();
    expect(calls).toHaveLength(3);
  });

  test("processes an edited key before 10,000 initial ones (case 24)", async () => {
    let release: (() => void) | undefined;
    const { queue, clock, calls } = runOnFakes((key) =>
      key === "first" ? new Promise((resolve) => (release = () => resolve({}))) : new Promise(() => {}),
    );
    queue.add("first");
    for (let count = 0; count < 10_000; count++) queue.add(`key-${count}`, { priority: -100 });
    await clock.settle();
    queue.add("key-7777");
    release?.();
    await clock.settle();
    expect(calls.map(({ key }) => key)).toEqual(["first", "key-7777"]);
  });

  test("keeps the priority of a key through retries and waiting", async () => {
    const taken: number[] = [];
    const { queue, clock } = runOnFakes(scripted(fail, () => ({ requeueAfterMs: 1_000 })));
    const take = queue.take.bind(queue);
    queue.take = async () => {
      const handout = await take();
      if (handout !== undefined) taken.push(handout.priority);
      return handout;
    };
    queue.add("a", { priority: -100 });
    await clock.advance(5_000);
    expect(taken).toEqual([-100, -100, -100]);
  });

  test("ends idle workers at once, and the busy one after its run; later adds are ignored (case 25)", async () => {
    let finish: (() => void) | undefined;
    const { queue, clock, calls, ended } = runOnFakes(
      () => new Promise((resolve) => (finish = () => resolve({ requeueAfterMs: 10 }))),
      { workers: 9 },
    );
    let hasEnded = false;
    void ended.then(() => (hasEnded = true));
    queue.add("busy");
    await clock.settle();
    queue.shutDown();
    queue.add("late");
    await clock.advance(1_000);
    expect(hasEnded).toBe(false);
    finish?.();
    await ended;
    await clock.advance(1_000);
    expect(calls.map(({ key }) => key)).toEqual(["busy"]);
  });

  test.for([
    { error: new ReplacedError("/ConfigMap/shop/web"), level: "info" },
    { error: new AlreadyThereError("/ConfigMap/shop/web"), level: "info" },
    { error: new NotLeadingError(), level: "info" },
    { error: new NotLeadingError("the lease is held by b, says the API server"), level: "warn" },
    { error: new ApiUnavailableError("Cannot apply", { status: 503 }), level: "warn" },
    { error: new UnsettledError(), level: "warn" },
    { error: new TypeError("a defect"), level: "error" },
  ] as const)("logs $error.name at level $level", async ({ error, level }) => {
    const { queue, clock, log } = runOnFakes(
      scripted(() => {
        throw error;
      }),
    );
    queue.add("a");
    await clock.advance(1_000);
    const told = log.entries.map((entry) => entry.level).filter((one) => one !== "debug");
    expect(told).toEqual([level]);
  });

  test("logs each run with a different id", async () => {
    const { queue, clock, log } = runOnFakes(scripted(fail, fail));
    queue.add("shop/web");
    await clock.advance(1_000);
    expect(log.entries[0]?.fields).toMatchObject({ namespace: "shop", name: "web" });
    const told = log.entries.filter((entry) => entry.level !== "debug");
    const ids = told.map(({ fields }) => (fields as { reconcileID?: string }).reconcileID);
    expect(new Set(ids).size).toBe(2);
    expect(ids[0]).toMatch(/^[0-9a-f-]{36}$/);
  });
});
