import { expect, test } from "vitest";
import { settleAll } from "../../../operator/engine/settle-all.ts";

test("settleAll() processes all items, never more than the limit at once, and returns their results in order", async () => {
  let running = 0;
  let most = 0;
  const outcomes = await settleAll(
    Array.from({ length: 100 }, (_, index) => index),
    8,
    async (item) => {
      most = Math.max(most, ++running);
      for (let turn = 0; turn < 100 - item; turn++) await Promise.resolve();
      running--;
      if (item % 10 === 3) throw new Error(`${item}`);
      return item;
    },
  );
  expect(most).toBe(8);
  expect(outcomes).toHaveLength(100);
  for (const [index, outcome] of outcomes.entries()) {
    if (index % 10 === 3)
      expect(outcome).toMatchObject({ status: "rejected", reason: new Error(`${index}`) });
    else expect(outcome).toEqual({ status: "fulfilled", value: index });
  }
});

test("settleAll() of an empty list is empty", async () => {
  expect(await settleAll([], 8, () => Promise.reject(new Error("no")))).toEqual([]);
});
