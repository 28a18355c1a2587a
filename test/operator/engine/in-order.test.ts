import { expect, test } from "vitest";
import { inOrder } from "../../../operator/engine/in-order.ts";

const wait = async (turns: number): Promise<void> => {
  for (let turn = 0; turn < turns; turn++) await Promise.resolve();
};

test("inOrder() processes a few items at a time, and returns the results in the order of the items", async () => {
  let running = 0;
  let most = 0;
  const items = Array.from({ length: 50 }, (_, index) => index);
  const work = async (item: number): Promise<number> => {
    most = Math.max(most, ++running);
    await wait(100 - item);
    running--;
    return item * 2;
  };
  expect(await inOrder(items, work, { atATime: 3 })).toEqual(items.map((item) => item * 2));
  expect(most).toBe(3);
  await inOrder(items, work);
  expect(most).toBe(8);
});

test("inOrder() rejects with the first failure, without waiting for the others", async () => {
  const never = new Promise<number>(() => undefined);
  const work = (item: number): Promise<number> => (item === 1 ? Promise.reject(new Error("no")) : never);
  await expect(inOrder([0, 1, 2], work)).rejects.toThrow("no");
});

test("inOrder() of an empty list is empty", async () => {
  expect(await inOrder([], () => Promise.reject(new Error("no")))).toEqual([]);
});
