import { describe, expect, test } from "vitest";
import { type Handout, WorkQueue } from "../../../operator/runtime/queue.ts";
import { FakeClock } from "../../fakes/fake-clock.ts";

function aQueue(): { queue: WorkQueue; clock: FakeClock } {
  const clock = new FakeClock();
  return { queue: new WorkQueue({ clock }), clock };
}

/** Takes and finishes everything that is ready, in order. */
async function drain(queue: WorkQueue, clock: FakeClock): Promise<string[]> {
  const keys: string[] = [];
  while ([...queue.measure().depths.values()].some((depth) => depth > 0)) {
    const handout = await queue.take();
    if (handout === undefined) break;
    keys.push(handout.key);
    queue.done(handout.key);
    await clock.settle();
  }
  return keys;
}

describe("WorkQueue", () => {
  test("returns a key once that was added a thousand times (case 18)", async () => {
    const { queue, clock } = aQueue();
    for (let count = 0; count < 1_000; count++) queue.add("a");
    expect(await drain(queue, clock)).toEqual(["a"]);
    expect(queue.measure().added).toBe(1);
  });

  test("returns a running key exactly once more, after it is done (case 19)", async () => {
    const { queue, clock } = aQueue();
    queue.add("a");
    await queue.take();
    const taken: (Handout | undefined)[] = [];
    for (let worker = 0; worker < 15; worker++) void queue.take().then((handout) => taken.push(handout));
    for (let count = 0; count < 10; count++) queue.add("a");
    await clock.settle();
    expect(taken).toEqual([]);

    queue.done("a");
    await clock.settle();
    expect(taken).toEqual([{ key: "a", priority: 0 }]);

    queue.done("a");
    await clock.settle();
    expect(taken).toHaveLength(1);
  });

  test("returns an edited key before thousands of initial ones (case 24)", async () => {
    const { queue } = aQueue();
    for (let count = 0; count < 10_000; count++) queue.add(`key-${count}`, { priority: -100 });
    queue.add("key-9000");
    expect(await queue.take()).toEqual({ key: "key-9000", priority: 0 });
    expect(await queue.take()).toEqual({ key: "key-0", priority: -100 });
  });

  test("is first in, first out within a priority; a raised key is last in its new level", async () => {
    const { queue, clock } = aQueue();
    queue.add("low-1", { priority: -100 });
    queue.add("low-2", { priority: -100 });
    queue.add("high-1");
    queue.add("low-2");
    queue.add("high-2");
    expect(await drain(queue, clock)).toEqual(["high-1", "low-2", "high-2", "low-1"]);
  });

  test("never lowers a priority", async () => {
    const { queue, clock } = aQueue();
    queue.add("first");
    queue.add("second");
    queue.add("first", { priority: -100 });
    expect(await drain(queue, clock)).toEqual(["first", "second"]);
  });

  test("keeps the priority of a key that is added while it runs", async () => {
    const { queue } = aQueue();
    queue.add("a", { priority: -100 });
    await queue.take();
    queue.add("b", { priority: -50 });
    queue.add("a", { priority: -100 });
    queue.add("a", { priority: 7 });
    queue.done("a");
    expect(await queue.take()).toEqual({ key: "a", priority: 7 });
  });

  test("returns a delayed key when it is due, not before", async () => {
    const { queue, clock } = aQueue();
    const taken: string[] = [];
    void queue.take().then((handout) => taken.push(handout?.key ?? ""));
    queue.add("a", { afterMs: 3_000 });
    await clock.advance(2_999);
    expect(taken).toEqual([]);
    expect(queue.measure().depths.size).toBe(0);
    await clock.advance(1);
    expect(taken).toEqual(["a"]);
  });

  test.for([
    { does: "an earlier deadline has precedence", first: 10_000, second: 1_000, due: 1_000 },
    { does: "a later deadline changes nothing", first: 1_000, second: 10_000, due: 1_000 },
    { does: "no delay is the earliest deadline", first: 1_000, second: 0, due: 0 },
    { does: "a ready key stays ready", first: 0, second: 1_000, due: 0 },
  ])("merges delays: $does", async ({ first, second, due }) => {
    const { queue, clock } = aQueue();
    queue.add("a", { afterMs: first });
    queue.add("a", { afterMs: second });
    const taken: string[] = [];
    void queue.take().then((handout) => taken.push(handout?.key ?? ""));
    expect(clock.pendingDelaysMs.length).toBeLessThanOrEqual(1);
    if (due > 0) await clock.advance(due - 1);
    expect(taken).toEqual([]);
    await clock.advance(1);
    expect(taken).toEqual(["a"]);
    queue.done("a");
    await clock.advance(20_000);
    expect(queue.measure().depths.size).toBe(0);
  });

  test("orders delayed keys by when they became ready", async () => {
    const { queue, clock } = aQueue();
    queue.add("second", { afterMs: 2_000 });
    queue.add("first", { afterMs: 1_000 });
    await clock.advance(1_500);
    queue.add("between");
    await clock.advance(1_500);
    expect(await drain(queue, clock)).toEqual(["first", "between", "second"]);
  });

  test("holds a delayed key that becomes due while it runs until it is done", async () => {
    const { queue, clock } = aQueue();
    queue.add("a");
    await queue.take();
    queue.add("a", { afterMs: 1_000 });
    const taken: string[] = [];
    void queue.take().then((handout) => taken.push(handout?.key ?? ""));
    await clock.advance(2_000);
    expect(taken).toEqual([]);
    queue.done("a");
    await clock.settle();
    expect(taken).toEqual(["a"]);
  });

  test("doubles the delay of each retry from 5 ms to 1000 s, and resets it on request (case 20)", async () => {
    const { queue, clock } = aQueue();
    const delays: number[] = [];
    for (let failure = 0; failure < 20; failure++) {
      queue.retry("a", { priority: -100 });
      const addedAtMs = clock.now();
      const handout = queue.take();
      await clock.advanceUntil(
        () => queue.measure().longestRunningMs > 0 || clock.pendingDelaysMs.length === 0,
        {
          withinMs: 2_000_000,
        },
      );
      expect(await handout).toEqual({ key: "a", priority: -100 });
      delays.push(clock.now() - addedAtMs);
      queue.done("a");
    }
    expect(delays.slice(0, 4)).toEqual([5, 10, 20, 40]);
    expect(delays.slice(16)).toEqual([327_680, 655_360, 1_000_000, 1_000_000]);
    expect(queue.measure().retried).toBe(20);

    queue.forget("a");
    queue.retry("a");
    expect(clock.pendingDelaysMs).toEqual([5]);
  });

  test("drops queued keys and releases all waiting workers when it is shut down (case 25)", async () => {
    const { queue, clock } = aQueue();
    queue.add("running");
    await queue.take();
    const idle = Array.from({ length: 8 }, () => queue.take());
    queue.add("running");
    queue.add("later", { afterMs: 1_000 });
    queue.shutDown();

    expect(clock.pendingDelaysMs).toEqual([]);
    expect(await Promise.all(idle)).toEqual(Array.from({ length: 8 }, () => undefined));
    queue.done("running");
    queue.add("too late");
    queue.retry("too late");
    await clock.advance(10_000);
    expect(await queue.take()).toBeUndefined();
    expect(queue.measure()).toMatchObject({ unfinishedMs: 0 });
    expect(queue.measure().depths.size).toBe(0);
    expect(clock.pendingDelaysMs).toEqual([]);
    await queue.closed;
  });

  test("reports how long keys waited and were processed, and how old running work is", async () => {
    const clock = new FakeClock();
    const seen: string[] = [];
    const queue = new WorkQueue({
      clock,
      observer: {
        taken: (ms) => seen.push(`waited ${ms}`),
        finished: (ms) => seen.push(`worked ${ms}`),
      },
    });
    queue.add("a", { afterMs: 100 });
    queue.add("b", { afterMs: 300 });
    await clock.advance(500);
    await queue.take();
    await clock.advance(10);
    await queue.take();
    await clock.advance(30);
    expect(queue.measure()).toMatchObject({ unfinishedMs: 70, longestRunningMs: 40, added: 2 });
    queue.done("a");
    expect(seen).toEqual(["waited 400", "waited 210", "worked 40"]);
  });

  test("counts ready keys by priority", async () => {
    const { queue } = aQueue();
    queue.add("a");
    queue.add("b", { priority: -100 });
    queue.add("c", { priority: -100 });
    queue.add("d", { afterMs: 1 });
    expect([...queue.measure().depths]).toEqual([
      [0, 1],
      [-100, 2],
    ]);
    queue.add("b", { priority: 5 });
    await queue.take();
    expect([...queue.measure().depths].toSorted()).toEqual([
      [-100, 1],
      [0, 1],
    ]);
  });

  test("stays fast with hundreds of thousands of keys", async () => {
    const { queue, clock } = aQueue();
    const keys = 100_000;
    const startMs = performance.now();
    for (let count = 0; count < keys; count++) queue.add(`key-${count}`, { priority: count % 3 });
    for (let count = 0; count < keys; count++) queue.add(`key-${count}`, { priority: 5 });
    for (let count = 0; count < keys; count++)
      queue.add(`delayed-${count}`, { afterMs: 1 + (count % 1_000) });
    for (let count = 0; count < keys; count++) {
      const handout = await queue.take();
      queue.done(handout?.key ?? "");
    }
    await clock.advance(2_000);
    // Anything that walks all keys per operation would need hours.
    expect(performance.now() - startMs).toBeLessThan(15_000);
    expect(queue.measure().depths.get(0)).toBe(keys);
  });
});
