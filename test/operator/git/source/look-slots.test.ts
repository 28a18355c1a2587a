import { expect, test } from "vitest";
import { LookSlots } from "../../../../operator/git/source/look-slots.ts";

/** Takes places and counts those that were given. */
function taking(slots: LookSlots, standing: "good" | "new" | "failing", who: string, count: number) {
  const given: (() => void)[] = [];
  for (let index = 0; index < count; index++) void slots.take(standing, who).then((free) => given.push(free));
  return given;
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("a namespace with remotes that hang takes places from itself only", async () => {
  const slots = new LookSlots();
  const hanging = taking(slots, "new", "bad", 100);
  const others = taking(slots, "new", "shop", 3);
  const failing = taking(slots, "failing", "bad", 100);
  const good = taking(slots, "good", "bad", 16);
  await settled();
  expect([hanging.length, others.length, failing.length, good.length]).toEqual([4, 3, 3, 16]);
});

test("a place that is given free goes to who waits longest and may have it", async () => {
  const slots = new LookSlots();
  const good = taking(slots, "good", "a", 16);
  const first = taking(slots, "good", "b", 1);
  const second = taking(slots, "good", "c", 1);
  await settled();
  expect([first.length, second.length]).toEqual([0, 0]);
  good[0]?.();
  await settled();
  expect([first.length, second.length]).toEqual([1, 0]);
  first[0]?.();
  good[1]?.();
  await settled();
  expect(second.length).toBe(1);
  // All that is given free can be taken again.
  const more = taking(slots, "good", "d", 16);
  await settled();
  expect(more.length).toBe(1);
});
