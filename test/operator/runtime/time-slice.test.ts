import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TimeSlice, yieldToEventLoop } from "../../../operator/runtime/time-slice.ts";

/** A clock that only work moves. */
class WorkClock {
  #nowMs = 0;

  now(): number {
    return this.#nowMs;
  }

  work(ms: number): void {
    this.#nowMs += ms;
  }
}

/** Counts turns of the event loop until it is stopped. */
function countTurns() {
  let [turn, isStopped] = [0, false];
  const count = (): void => {
    turn++;
    if (!isStopped) setImmediate(count);
  };
  setImmediate(count);
  return {
    get turn() {
      return turn;
    },
    stop: () => {
      isStopped = true;
    },
  };
}

const steps = fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 60 });

describe("TimeSlice", () => {
  test("limits the work in a turn of the event loop to its budget and one step", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 1, maxLength: 4 }), async (works) => {
        const [clock, budgetMs, turns] = [new WorkClock(), 20, countTurns()];
        const slice = new TimeSlice(clock, budgetMs);
        const done = new Map<number, number[]>();
        function* work(stepsMs: readonly number[]): Generator<undefined, number> {
          for (const stepMs of stepsMs) {
            clock.work(stepMs);
            done.set(turns.turn, [...(done.get(turns.turn) ?? []), stepMs]);
            yield;
          }
          return stepsMs.length;
        }
        const counts = await Promise.all(works.map((stepsMs) => slice.run(work(stepsMs))));
        turns.stop();
        expect(counts).toEqual(works.map(({ length }) => length));
        for (const stepsMs of done.values()) {
          const beforeLastMs = stepsMs.slice(0, -1).reduce((sum, ms) => sum + ms, 0);
          expect(beforeLastMs).toBeLessThanOrEqual(budgetMs);
        }
      }),
    );
  });

  test("is over only after its budget", () => {
    const clock = new WorkClock();
    const slice = new TimeSlice(clock, 6);
    clock.work(6);
    expect(slice.isOver).toBe(false);
    clock.work(1);
    expect(slice.isOver).toBe(true);
  });

  test("resets with each turn of the event loop", async () => {
    const clock = new WorkClock();
    const slice = new TimeSlice(clock);
    clock.work(100);
    expect(slice.isOver).toBe(true);
    await yieldToEventLoop();
    expect(slice.isOver).toBe(false);
    clock.work(100);
    await slice.next();
    expect(slice.isOver).toBe(false);
  });

  test("throws the error of the work", async () => {
    // biome-ignore lint/correctness/useYield: it fails before its first step ends.
    function* work(): Generator<undefined, never> {
      throw new RangeError("broken");
    }
    await expect(new TimeSlice(new WorkClock()).run(work())).rejects.toThrow("broken");
  });
});
