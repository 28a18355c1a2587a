import { expect, test } from "vitest";
import { Turns } from "../../../../operator/release/sources/turns.ts";

test("remotes that fail take places from each other only", async () => {
  const turns = new Turns();
  let taken = 0;
  const giveFree: (() => void)[] = [];
  for (let index = 0; index < 10; index++) {
    void turns.take("failing").then((free) => {
      taken++;
      giveFree.push(free);
    });
  }
  await Promise.all(Array.from({ length: 12 }, () => turns.take("good")));
  expect(taken).toBe(4);
  giveFree[0]?.();
  await new Promise((resolve) => setImmediate(resolve));
  expect(taken).toBe(5);
});
