import { describe, expect, test } from "vitest";
import { PollTimer } from "../../../operator/git/poll-timer.ts";
import { FakeClock } from "../../fakes/fake-clock.ts";

function aTimer({ random = 0.5 } = {}) {
  const clock = new FakeClock();
  const polls: number[] = [];
  const timer = new PollTimer({ clock, random: () => random, poll: () => polls.push(clock.now()) });
  return { clock, polls, timer };
}

describe("PollTimer", () => {
  test.for([
    [0, 95],
    [0.5, 100],
    [1, 105],
  ] as const)("polls after the interval, 5 %% shorter or longer (chance: %s)", async ([random, atMs]) => {
    const { clock, polls, timer } = aTimer({ random });
    timer.setAfterInterval(100);
    await clock.advance(1_000);
    expect(polls).toEqual([atMs]);
  });

  test("counts the interval from an earlier time, and polls at once when it has passed", async () => {
    const { clock, polls, timer } = aTimer();
    await clock.advance(150);
    timer.setAfterInterval(200, 0);
    await clock.advance(100);
    timer.setAfterInterval(200, 0);
    await clock.advance(100);
    expect(polls).toEqual([200, 250]);
  });

  test("polls once, at the time that was set last", async () => {
    const { clock, polls, timer } = aTimer();
    timer.set(100);
    timer.set(300);
    expect(timer.isSet).toBe(true);
    await clock.advance(1_000);
    expect(polls).toEqual([300]);
    expect(timer.isSet).toBe(false);
  });

  test("does not poll after it was cleared, nor after an interval without end", async () => {
    const { clock, polls, timer } = aTimer();
    timer.set(100);
    timer.clear();
    timer.set(100);
    timer.setAfterInterval(Number.POSITIVE_INFINITY);
    expect(timer.isSet).toBe(false);
    await clock.advance(1_000);
    expect(polls).toEqual([]);
  });
});
