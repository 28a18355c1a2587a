import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Reconcile } from "../../../operator/ports.ts";
import { ReportPace } from "../../../operator/runtime/report-pace.ts";
import { FakeClock } from "../../fakes/fake-clock.ts";
import { RecordingLogger } from "../../fakes/recording-logger.ts";
import { limitRuns } from "../../long.ts";

const runMs = 5;

/** Reports, and runs that take five milliseconds: what is released runs at once. */
function aPace() {
  const clock = new FakeClock();
  /** When each report began. */
  const told: { readonly key: string; readonly atMs: number }[] = [];
  const context = { signal: new AbortController().signal, log: new RecordingLogger() };
  const pace = new ReportPace({
    clock,
    release: (key) => {
      told.push({ key, atMs: clock.now() });
      void run(key, context);
    },
  });
  const run = pace.around((): ReturnType<Reconcile> => {
    const { promise, resolve } = Promise.withResolvers<object>();
    clock.schedule(runMs, () => resolve({}));
    return promise;
  });
  /** A user edits this one: it runs at once. */
  const edit = (key: string): void => void run(key, context);
  return { clock, pace, told, edit, times: () => told.map(({ atMs }) => atMs) };
}

const keys = (count: number) => Array.from({ length: count }, (_, index) => `shop/${index}`);

describe("reports of a commit", () => {
  test("start at once without edits, one after the other", async () => {
    const { clock, pace, times } = aPace();
    pace.add(keys(4));
    await clock.advance(100);
    expect(times()).toEqual([0, runMs, 2 * runMs, 3 * runMs]);
  });

  test("are started by the edits, one each, while there are edits", async () => {
    const { clock, pace, edit, times } = aPace();
    edit("shop/edited");
    await clock.advance(runMs);
    pace.add(keys(20));
    expect(times()).toEqual([]);
    for (let count = 0; count < 3; count++) {
      await clock.advance(30);
      edit("shop/edited");
    }
    await clock.advance(runMs);
    expect(times()).toEqual([40, 70, 100]);
  });

  test("start at once if there is only one resource", async () => {
    const { clock, pace, edit, times } = aPace();
    edit("shop/edited");
    await clock.advance(runMs);
    pace.add(["shop/edited"]);
    expect(times()).toEqual([runMs]);
  });

  test("wait for an edit only for a short time", async () => {
    const { clock, pace, edit, times } = aPace();
    edit("shop/edited");
    await clock.advance(runMs);
    pace.add(keys(2));
    await clock.advance(1_000);
    expect(times()).toEqual([runMs + 50, runMs + 100]);
  });

  test("are all started within a second, for any number of them", async () => {
    const { clock, pace, edit, told } = aPace();
    edit("shop/edited");
    await clock.advance(runMs);
    pace.add(keys(5_000));
    const cancel = setEditing(clock, edit);
    await clock.advance(1_000);
    cancel();
    expect(told).toHaveLength(5_000);
    // A step of 5 ms has 25 of them.
    const most = Math.max(
      ...Map.groupBy(told, ({ atMs }) => atMs)
        .values()
        .map((list) => list.length),
    );
    expect(most).toBeLessThan(60);
  });

  test("are requested once each, also if they run late", async () => {
    const clock = new FakeClock();
    const asked: string[] = [];
    const pace = new ReportPace({ clock, release: (key) => asked.push(key) });
    pace.add(keys(50));
    await clock.advance(1_000);
    expect(asked).toEqual(keys(50));
  });

  test("are not requested if the resource ran meanwhile", async () => {
    const { clock, pace, edit, told } = aPace();
    edit("shop/edited");
    await clock.advance(runMs);
    pace.add(["shop/0", "shop/1"]);
    edit("shop/1");
    await clock.advance(2_000);
    expect(told.map(({ key }) => key)).toEqual(["shop/0"]);
  });

  test("are each written once, within a second, for any other events", async () => {
    const step = fc.oneof(
      fc.record({ add: fc.uniqueArray(fc.nat(30), { minLength: 1, maxLength: 30 }) }),
      fc.record({ edit: fc.nat(30) }),
      fc.record({ waitMs: fc.nat(400) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const { clock, pace, told, edit } = aPace();
        const due = new Map<string, number>();
        const settle = (key: string): void => void due.delete(key);
        let seen = 0;
        const look = (): void => {
          for (const { key, atMs } of told.slice(seen)) {
            const latestMs = due.get(key);
            expect(latestMs, `${key} is told though there is nothing to tell`).toBeDefined();
            expect(atMs).toBeLessThanOrEqual(latestMs ?? 0);
            settle(key);
          }
          seen = told.length;
        };
        for (const one of steps) {
          if ("add" in one) {
            const added = one.add.map((index) => `shop/${index}`);
            for (const key of added) if (!due.has(key)) due.set(key, Number.POSITIVE_INFINITY);
            // A later commit moves the end for all, as they go together.
            for (const key of due.keys()) due.set(key, clock.now() + 1_000 + runMs);
            pace.add(added);
          } else if ("edit" in one) {
            settle(`shop/${one.edit}`);
            edit(`shop/${one.edit}`);
          } else await clock.advance(one.waitMs);
          await clock.settle();
          look();
        }
        await clock.advance(2_000);
        look();
        expect([...due.keys()]).toEqual([]);
      }),
      { numRuns: limitRuns(200) },
    );
  });
});

/** Edits every 33 ms until the function that it gives is called. */
function setEditing(clock: FakeClock, edit: (key: string) => void): () => void {
  let cancel = (): void => {};
  const next = (): void => {
    edit("shop/edited");
    cancel = clock.schedule(33, next);
  };
  next();
  return () => cancel();
}
