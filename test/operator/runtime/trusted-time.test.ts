import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TrustedTime } from "../../../operator/runtime/trusted-time.ts";

const startMs = Date.parse("2026-01-01T00:00:00Z");

/** Two clocks that a test moves apart, and the header that an API server whose clock is right would send. */
class Clocks {
  wallMs = startMs;
  monotonicMs = 500;

  now(): number {
    return this.monotonicMs;
  }

  wallClock(): Date {
    return new Date(this.wallMs);
  }

  pass(ms: number): void {
    this.wallMs += ms;
    this.monotonicMs += ms;
  }
}

const header = (ms: number): string => new Date(ms).toUTCString();
const seconds = (time: TrustedTime): number => (time.nowMs() - startMs) / 1_000;

describe("TrustedTime", () => {
  test("uses the wall clock while there is no other source of time", () => {
    const clocks = new Clocks();
    const time = new TrustedTime(clocks);
    clocks.pass(90_000);
    expect(seconds(time)).toBe(90);
  });

  test("a wall clock that jumps ahead has no effect", () => {
    const clocks = new Clocks();
    const time = new TrustedTime(clocks);
    clocks.wallMs += 3_600_000;
    clocks.pass(1_000);
    expect(seconds(time)).toBe(1);
  });

  test("a wall clock that is set back delays it until it is correct again", () => {
    const clocks = new Clocks();
    const time = new TrustedTime(clocks);
    clocks.wallMs -= 3_600_000;
    expect(seconds(time)).toBe(-3_600);
    clocks.wallMs += 3_600_000;
    expect(seconds(time)).toBe(0);
  });

  test("a wall clock that is ahead from the start is limited by the API server's", () => {
    const clocks = new Clocks();
    clocks.wallMs += 3_600_000;
    const time = new TrustedTime(clocks);
    time.observe(header(startMs));
    clocks.pass(2_000);
    expect(seconds(time)).toBe(2);
  });

  test("an API server whose clock jumps ahead, with the wall clock of the same machine, has no effect", () => {
    const clocks = new Clocks();
    const time = new TrustedTime(clocks);
    time.observe(header(startMs));
    clocks.wallMs += 3_600_000;
    time.observe(header(startMs + 3_600_000));
    expect(seconds(time)).toBe(0);
  });

  test("an API server whose clock is set back is used from its next response on", () => {
    const clocks = new Clocks();
    const time = new TrustedTime(clocks);
    time.observe(header(startMs));
    time.observe(header(startMs - 60_000));
    expect(seconds(time)).toBe(-60);
  });

  test("a missing or invalid date has no effect", () => {
    const time = new TrustedTime(new Clocks());
    time.observe("yesterday");
    expect(seconds(time)).toBe(0);
  });

  test("it is never ahead of an API server whose clock is correct, and at most a second and a response behind", () => {
    const answers = fc.array(fc.record({ afterMs: fc.nat(5_000), latencyMs: fc.nat(900) }), { minLength: 1 });
    fc.assert(
      fc.property(answers, fc.nat(1e9), (sequence, idleMs) => {
        const clocks = new Clocks();
        // Ahead, so that only the API server's date holds it back.
        clocks.wallMs += 3_600_000;
        const time = new TrustedTime(clocks);
        let trueMs = startMs;
        const pass = (ms: number): void => {
          clocks.pass(ms);
          trueMs += ms;
        };
        for (const { afterMs, latencyMs } of sequence) {
          pass(afterMs);
          const date = header(trueMs);
          pass(latencyMs);
          time.observe(date);
        }
        pass(idleMs);
        const behindMs = trueMs - time.nowMs();
        expect(behindMs).toBeGreaterThanOrEqual(0);
        expect(behindMs).toBeLessThan(1_000 + 900);
      }),
    );
  });
});
