import { expect, test } from "vitest";
import { runOnFakes } from "../../fakes/workers-run.ts";

test("a key that changes 100 times a second runs twice a second, its last change included, and others at once", async () => {
  const seen: number[] = [];
  let version = 0;
  const { queue, clock, calls } = runOnFakes(async (key) => {
    if (key === "busy") seen.push(version);
    return {};
  });
  for (let change = 0; change < 1_000; change++) {
    version = change;
    queue.add("busy");
    if (change % 100 === 50) queue.add(`quiet-${change}`);
    await clock.advance(10);
  }
  await clock.advance(1_000);
  const of = (prefix: string) => calls.filter(({ key }) => key.startsWith(prefix));
  expect(of("busy").length).toBeLessThanOrEqual(20 + 2 * 11);
  expect(of("busy").length).toBeGreaterThan(36);
  expect(seen.at(-1)).toBe(999);
  expect(of("quiet").map(({ key, atMs }) => atMs - 10 * Number(key.slice(6)))).toEqual(Array(10).fill(0));
});
