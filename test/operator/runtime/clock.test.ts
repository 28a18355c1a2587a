import { describe, expect, test } from "vitest";
import { systemClock } from "../../../operator/runtime/clock.ts";

describe("systemClock()", () => {
  const clock = systemClock();
  const passed = (delayMs: number) => new Promise<void>((resolve) => clock.schedule(delayMs, resolve));
  /** Timers of the clock are unref'ed; this keeps the test alive for them. */
  async function kept<T>(work: Promise<T>): Promise<T> {
    const keep = setInterval(() => {}, 1_000);
    return await work.finally(() => clearInterval(keep));
  }

  test("it runs callbacks in the order of their delays", async () => {
    const order: string[] = [];
    clock.schedule(20, () => order.push("later"));
    clock.schedule(5, () => order.push("sooner"));
    await kept(passed(40));
    expect(order).toEqual(["sooner", "later"]);
  });

  test("a cancelled callback does not run", async () => {
    let ran = false;
    clock.schedule(1, () => {
      ran = true;
    })();
    await kept(passed(10));
    expect(ran).toBe(false);
  });

  test("a delay that is too long for a Node timer does not fire at once", async () => {
    let ran = false;
    const cancel = clock.schedule(2 ** 31 + 1_000, () => {
      ran = true;
    });
    await kept(passed(10));
    cancel();
    expect(ran).toBe(false);
  });
});
