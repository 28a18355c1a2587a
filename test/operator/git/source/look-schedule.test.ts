import { expect, test } from "vitest";
import { LookSchedule } from "../../../../operator/git/source/look-schedule.ts";
import { FakeClock } from "../../../fakes/fake-clock.ts";

function aSchedule({ intervalMs = 60_000, takesMs = 1_000, random = 0.5 } = {}) {
  const clock = new FakeClock();
  const looks: number[] = [];
  const it = { clock, looks, answers: true, intervalMs, schedule: undefined as unknown as LookSchedule };
  it.schedule = new LookSchedule({
    clock,
    random: () => random,
    intervalMs: () => it.intervalMs,
    look: () => {
      looks.push(clock.now());
      return new Promise((resolve) => void clock.schedule(takesMs, () => resolve(it.answers)));
    },
  });
  return it;
}

test("it looks when asked, and then in intervals", async () => {
  const { clock, looks, schedule } = aSchedule();
  await clock.advance(10_000);
  expect(looks).toEqual([]);
  schedule.ask();
  await clock.advance(130_000);
  expect(looks).toEqual([10_000, 71_000, 132_000]);
});

test("chance makes an interval 5 % shorter or longer", async () => {
  for (const [random, nextMs] of [
    [0, 58_000],
    [0.999_999, 64_000],
  ] as const) {
    const { clock, looks, schedule } = aSchedule({ random });
    schedule.ask();
    await clock.advance(65_000);
    expect(Math.round((looks[1] ?? 0) / 1_000) * 1_000).toBe(nextMs);
  }
});

test("whoever asks during a look gets one more, all together", async () => {
  const { clock, looks, schedule } = aSchedule();
  schedule.ask();
  await clock.advance(500);
  for (let index = 0; index < 1_000; index++) schedule.ask();
  await clock.advance(30_000);
  expect(looks).toEqual([0, 1_020]);
});

test("a remote that is down is tried later and later, at once if asked, and in intervals when it is back", async () => {
  const it = aSchedule({ random: 0, takesMs: 0 });
  it.answers = false;
  it.schedule.ask();
  await it.clock.advance(200_000);
  expect(it.looks).toEqual([0, 2, 6, 14, 30, 62, 122, 182].map((seconds) => seconds * 1_000));
  it.answers = true;
  it.schedule.ask();
  await it.clock.advance(60_000);
  expect(it.looks.slice(8)).toEqual([200_000, 257_000]);
});

test("a shorter interval counts from the last look on", async () => {
  const it = aSchedule({ takesMs: 0 });
  it.schedule.ask();
  await it.clock.advance(30_000);
  it.intervalMs = 10_000;
  it.schedule.reschedule();
  await it.clock.advance(5_000);
  expect(it.looks).toEqual([0, 30_000]);
});

test("a shorter interval does not put off what was asked for", async () => {
  const it = aSchedule({ takesMs: 100 });
  it.schedule.ask();
  await it.clock.advance(50);
  it.schedule.ask();
  await it.clock.advance(60);
  it.intervalMs = 10_000;
  it.schedule.reschedule();
  await it.clock.advance(100);
  expect(it.looks).toEqual([0, 120]);
});

test("without an interval, and when it is closed, nothing is looked at", async () => {
  const it = aSchedule({ intervalMs: Number.POSITIVE_INFINITY });
  it.schedule.ask();
  await it.clock.advance(3_600_000);
  expect(it.looks).toEqual([0]);
  it.schedule.close();
  it.schedule.ask();
  await it.clock.advance(3_600_000);
  expect(it.looks).toEqual([0]);
});
