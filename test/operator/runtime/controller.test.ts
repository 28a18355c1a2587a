import { describe, expect, test } from "vitest";
import {
  type ControllerSource,
  type Leadership,
  runController,
  SourceSyncError,
} from "../../../operator/runtime/controller.ts";
import { WorkQueue } from "../../../operator/runtime/queue.ts";
import { FakeClock } from "../../fakes/fake-clock.ts";
import { RecordingLogger } from "../../fakes/recording-logger.ts";

interface FakeSource extends ControllerSource {
  isKindMissing: boolean;
  lastError?: Error;
  readonly sync: () => void;
  /** The copies that it waits for until they are as new as needed; undefined: they are. */
  mended?: Promise<void>;
  readonly wantedAsOfMs: number[];
}

function aSource(name: string): FakeSource {
  const { promise, resolve } = Promise.withResolvers<void>();
  return {
    name,
    synced: promise,
    isKindMissing: false,
    sync: resolve,
    wantedAsOfMs: [],
    async whenCurrent(asOfMs) {
      this.wantedAsOfMs.push(asOfMs);
      await this.mended;
    },
  };
}

function start(
  sources: readonly ControllerSource[],
  options: { gate?: Promise<Leadership>; syncTimeoutMs?: number } = {},
) {
  const clock = new FakeClock();
  const queue = new WorkQueue({ clock });
  const log = new RecordingLogger();
  const calls: string[] = [];
  const reconcile = async (key: string): Promise<object> => {
    calls.push(key);
    return {};
  };
  const ended = runController({ sources, queue, workers: 2, reconcile, clock, log, ...options });
  ended.catch(() => {});
  return { clock, queue, log, calls, ended };
}

describe("runController()", () => {
  test("reconciles nothing before every source has delivered its initial objects (case 26)", async () => {
    const [echoes, deployments] = [aSource("echoes"), aSource("deployments")];
    const { clock, queue, calls } = start([echoes, deployments]);
    queue.add("a", { priority: -100 });
    echoes.sync();
    await clock.advance(100_000);
    expect(calls).toEqual([]);
    deployments.sync();
    await clock.settle();
    expect(calls).toEqual(["a"]);
    expect(clock.pendingDelaysMs).toEqual([]);
  });

  test("fails, naming the kind, when the first list does not arrive in time (case 27)", async () => {
    const [echoes, secrets] = [aSource("echoes.fairlead.dev"), aSource("secrets")];
    echoes.sync();
    secrets.lastError = new Error("secrets is forbidden");
    const { clock, ended, calls } = start([echoes, secrets], { syncTimeoutMs: 5_000 });
    await clock.advance(5_000);
    await expect(ended).rejects.toThrow(SourceSyncError);
    await expect(ended).rejects.toThrow('"secrets" was not received within 5 s: secrets is forbidden');
    expect(calls).toEqual([]);
  });

  test("waits two minutes for a list", async () => {
    const { clock, ended } = start([aSource("echoes")]);
    let hasFailed = false;
    ended.catch(() => (hasFailed = true));
    await clock.advance(119_999);
    expect(hasFailed).toBe(false);
    await clock.advance(1);
    expect(hasFailed).toBe(true);
  });

  test("waits without a timeout for a kind that is not installed, and then with the usual timeout", async () => {
    const source = aSource("echoes");
    source.isKindMissing = true;
    const { clock, queue, calls, ended } = start([source]);
    queue.add("a");
    await clock.advance(3_600_000);
    expect(calls).toEqual([]);
    source.isKindMissing = false;
    source.sync();
    await clock.settle();
    expect(calls).toEqual(["a"]);
    queue.shutDown();
    await ended;
  });

  test("fails when a kind was installed but its list does not arrive", async () => {
    const source = aSource("echoes");
    source.isKindMissing = true;
    const { clock, ended } = start([source]);
    await clock.advance(3_600_000);
    source.isKindMissing = false;
    await clock.advance(120_000);
    await expect(ended).rejects.toThrow(SourceSyncError);
  });

  test("fills stores before it leads, and reconciles when it leads", async () => {
    const source = aSource("echoes");
    const elected = Promise.withResolvers<Leadership>();
    const { clock, queue, calls } = start([source], { gate: elected.promise });
    source.sync();
    queue.add("a");
    await clock.advance(60_000);
    expect(calls).toEqual([]);
    elected.resolve({ sinceMs: 60_000 });
    await clock.settle();
    expect(calls).toEqual(["a"]);
  });

  test("a new leader waits until it has observed all objects that existed then, because the previous leader had observed them", async () => {
    const source = aSource("echoes");
    source.sync();
    const elected = Promise.withResolvers<Leadership>();
    const { clock, queue, calls, log } = start([source, { ...source }], { gate: elected.promise });
    const mended = Promise.withResolvers<void>();
    source.mended = mended.promise;
    queue.add("a");
    elected.resolve({ sinceMs: 60_000 });
    await clock.advance(29_000);
    expect(calls).toEqual([]);
    mended.resolve();
    await clock.settle();
    expect(calls).toEqual(["a"]);
    expect(source.wantedAsOfMs).toEqual([60_000, 60_000]);
    expect(log.messages("warn")).toEqual([]);
    expect(clock.pendingDelaysMs).toEqual([]);
  });

  test("a watch that remains broken does not block it for ever", async () => {
    const source = aSource("echoes");
    source.sync();
    source.mended = new Promise(() => {});
    const { clock, queue, calls, log } = start([source], { gate: Promise.resolve({ sinceMs: 0 }) });
    queue.add("a");
    await clock.advance(30_000);
    expect(calls).toEqual(["a"]);
    expect(log.messages("warn")).toEqual(["Timed out waiting for caches; continuing with stale data"]);
  });

  test("stops waiting when the queue is shut down", async () => {
    const { queue, ended } = start([aSource("echoes")]);
    queue.shutDown();
    await ended;
  });
});
