import { expect, test } from "vitest";
import { RemoteSchedule, type RunOutcome } from "../../../operator/git/remote-schedule.ts";
import { FakeClock } from "../../fakes/fake-clock.ts";

function aSchedule({ intervalMs = 60_000, takesMs = 1_000, random = 0.5 } = {}) {
  const clock = new FakeClock();
  const polls: number[] = [];
  const it = { clock, polls, answers: true, intervalMs, schedule: undefined as unknown as RemoteSchedule };
  it.schedule = new RemoteSchedule({
    clock,
    random: () => random,
    backoff: { initialMs: 2_000, factor: 2, capMs: 60_000, jitter: 0.2 },
    intervalMs: () => it.intervalMs,
    run: async (): Promise<RunOutcome> => {
      polls.push(clock.now());
      await new Promise<void>((resolve) => void clock.schedule(takesMs, resolve));
      if (!it.answers) return { state: "failed" };
      it.schedule.polled();
      return { state: "done" };
    },
  });
  return it;
}

test("it polls on request, and then at intervals", async () => {
  const { clock, polls, schedule } = aSchedule();
  await clock.advance(10_000);
  expect(polls).toEqual([]);
  schedule.ask();
  await clock.advance(130_000);
  expect(polls).toEqual([10_000, 71_000, 132_000]);
});

test("random jitter makes an interval 5 % shorter or longer", async () => {
  for (const [random, nextMs] of [
    [0, 58_000],
    [0.999_999, 64_000],
  ] as const) {
    const { clock, polls, schedule } = aSchedule({ random });
    schedule.ask();
    await clock.advance(65_000);
    expect(Math.round((polls[1] ?? 0) / 1_000) * 1_000).toBe(nextMs);
  }
});

test("requests during a poll cause one more, for all together", async () => {
  const { clock, polls, schedule } = aSchedule();
  schedule.ask();
  await clock.advance(500);
  for (let index = 0; index < 1_000; index++) schedule.ask();
  await clock.advance(30_000);
  expect(polls).toEqual([0, 1_020]);
});

test("an unavailable remote is polled with backoff, at once on request, and at intervals after it recovers", async () => {
  const it = aSchedule({ random: 0, takesMs: 0 });
  it.answers = false;
  it.schedule.ask();
  await it.clock.advance(200_000);
  expect(it.polls).toEqual([0, 2, 6, 14, 30, 62, 122, 182].map((seconds) => seconds * 1_000));
  it.answers = true;
  it.schedule.ask();
  await it.clock.advance(60_000);
  expect(it.polls.slice(8)).toEqual([200_000, 257_000]);
});

test("a shorter interval counts from the last poll", async () => {
  const it = aSchedule({ takesMs: 0 });
  it.schedule.ask();
  await it.clock.advance(30_000);
  it.intervalMs = 10_000;
  it.schedule.reschedule();
  await it.clock.advance(5_000);
  expect(it.polls).toEqual([0, 30_000]);
});

test("a shorter interval does not delay a request", async () => {
  const it = aSchedule({ takesMs: 100 });
  it.schedule.ask();
  await it.clock.advance(50);
  it.schedule.ask();
  await it.clock.advance(60);
  it.intervalMs = 10_000;
  it.schedule.reschedule();
  await it.clock.advance(100);
  expect(it.polls).toEqual([0, 120]);
});

test("nothing is polled without an interval, and after close()", async () => {
  const it = aSchedule({ intervalMs: Number.POSITIVE_INFINITY });
  it.schedule.ask();
  await it.clock.advance(3_600_000);
  expect(it.polls).toEqual([0]);
  it.schedule.close();
  it.schedule.ask();
  await it.clock.advance(3_600_000);
  expect(it.polls).toEqual([0]);
});

test("a failed poll is not retried when there is no interval any more", async () => {
  const it = aSchedule({ takesMs: 0 });
  it.schedule.ask();
  await it.clock.advance(30_000);
  it.intervalMs = Number.POSITIVE_INFINITY;
  it.answers = false;
  await it.clock.advance(3_600_000);
  expect(it.polls).toEqual([0, 60_000]);
});

test.for([
  [0, 95],
  [0.5, 100],
  [1, 105],
] as const)("it polls after the interval, 5 %% shorter or longer (random: %s)", async ([random, atMs]) => {
  const { clock, polls, schedule } = aSchedule({ intervalMs: 100, takesMs: 0, random });
  schedule.polled();
  schedule.wake();
  await clock.advance(130);
  expect(polls).toEqual([atMs]);
});

/** A schedule of work: the test defines the results of its runs, and when work is due. */
function aWork(outcomes: readonly RunOutcome[]) {
  const clock = new FakeClock();
  const runs: string[] = [];
  const left = [...outcomes];
  const it = { clock, runs, dueMs: 0, schedule: undefined as unknown as RemoteSchedule };
  it.schedule = new RemoteSchedule({
    ...{ clock, random: () => 0.5 },
    backoff: { initialMs: 100, factor: 2, capMs: 1_000, jitter: 0 },
    intervalMs: () => 5_000,
    dueMs: () => it.dueMs,
    run: async ({ isPollDue }) => {
      runs.push(`${clock.now()}${isPollDue ? " poll" : ""}`);
      it.schedule.polled();
      if (left.length === 1) it.dueMs = Number.POSITIVE_INFINITY;
      return left.shift() ?? { state: "done" };
    },
  });
  return it;
}

test("work starts when the first of it is due, and a poll follows", async () => {
  const it = aWork([{ state: "done" }]);
  it.dueMs = 300;
  it.schedule.wake();
  it.dueMs = 30;
  it.schedule.wake();
  it.dueMs = 900;
  it.schedule.wake();
  await it.clock.advance(6_000);
  expect(it.runs).toEqual(["30", "5030 poll"]);
});

test("a failure delays work with backoff, and so does a run with a delay in its result", async () => {
  const failed = { state: "failed" } as const;
  const it = aWork([failed, failed, { state: "overtaken", holdMs: 7 }, failed, { state: "done" }]);
  it.schedule.wake();
  await it.clock.advance(1_000);
  // An overtaken run is neither a failure nor a success.
  expect(it.runs).toEqual(["0", "100", "300", "307", "707"]);
});

test("a requested run ignores delays, and close() waits for it", async () => {
  const it = aWork([{ state: "failed", holdMs: 60_000 }, { state: "done" }]);
  it.schedule.wake();
  await it.clock.advance(10);
  const asked = it.schedule.run();
  expect(it.schedule.run()).toBe(asked);
  await it.schedule.close();
  expect(it.runs).toEqual(["0", "10"]);
  it.schedule.wake();
  await it.clock.advance(120_000);
  expect(it.runs).toHaveLength(2);
});
