import { expect, test } from "vitest";
import { PollPermits } from "../../../../operator/git/source/poll-permits.ts";

/** Requests permits and counts the granted ones. */
function acquiring(polls: PollPermits, standing: "good" | "new" | "failing", who: string, count: number) {
  const given: (() => void)[] = [];
  for (let index = 0; index < count; index++)
    void polls.acquire(standing, who).then(({ release }) => given.push(release));
  return given;
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("a namespace with hanging remotes uses only its own permits", async () => {
  const polls = new PollPermits();
  const hanging = acquiring(polls, "new", "bad", 100);
  const others = acquiring(polls, "new", "shop", 3);
  const failing = acquiring(polls, "failing", "bad", 100);
  const good = acquiring(polls, "good", "bad", 16);
  await settled();
  expect([hanging.length, others.length, failing.length, good.length]).toEqual([4, 3, 3, 16]);
});

test("a released permit is granted to the namespace that has waited longest and may have it", async () => {
  const polls = new PollPermits();
  const good = acquiring(polls, "good", "a", 16);
  const first = acquiring(polls, "good", "b", 1);
  const second = acquiring(polls, "good", "c", 1);
  await settled();
  expect([first.length, second.length]).toEqual([0, 0]);
  good[0]?.();
  await settled();
  expect([first.length, second.length]).toEqual([1, 0]);
  first[0]?.();
  good[1]?.();
  await settled();
  expect(second.length).toBe(1);
  // All released permits can be acquired again.
  const more = acquiring(polls, "good", "d", 16);
  await settled();
  expect(more.length).toBe(1);
});
