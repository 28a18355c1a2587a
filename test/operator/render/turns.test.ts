import { describe, expect, test } from "vitest";
import { Turns } from "../../../operator/render/turns.ts";
import { FakeClock } from "../../fakes/fake-clock.ts";

/** A clock that work advances, without firing timers. */
class WorkingClock extends FakeClock {
  #workedMs = 0;

  override now(): number {
    return super.now() + this.#workedMs;
  }

  work(ms: number): void {
    this.#workedMs += ms;
  }
}

describe("Turns", () => {
  test("end after some milliseconds, for all renders together, and start again", async () => {
    const clock = new WorkingClock();
    const turns = new Turns(clock);
    const [one, other] = [turns.begin(), turns.begin()];
    expect(one.isOver).toBe(false);
    clock.work(4);
    expect(other.isOver).toBe(false);
    clock.work(4);
    expect([one.isOver, other.isOver]).toEqual([true, true]);
    await Promise.all([one.next(), other.next()]);
    expect([one.isOver, other.isOver]).toEqual([false, false]);
  });

  test("make a render that works for long pause nine times as long as it worked", async () => {
    const clock = new WorkingClock();
    const turn = new Turns(clock).begin();
    clock.work(251);
    void turn.next();
    expect(clock.pendingDelaysMs).toEqual([251 * 9]);
  });

  test("do not count the time for which a render waits", async () => {
    const clock = new WorkingClock();
    const turn = new Turns(clock).begin();
    clock.work(10);
    const value = await turn.waitFor(
      (async () => {
        clock.work(500);
        return "read";
      })(),
    );
    expect([value, turn.workedMs < 511]).toEqual(["read", true]);
    const waiting = turn.waitFor(new Promise<void>((resolve) => setImmediate(resolve)));
    clock.work(1_000);
    await waiting;
    clock.work(1);
    expect(turn.workedMs).toBeLessThan(600);
  });
});
