import { expect, test } from "vitest";
import { orderRounds } from "../../../rig/bench/order.ts";

test("orderRounds() reverses the order of every second round", () => {
  const order = orderRounds(["ours", "Go"], 3).map(
    ({ round, implementation }) => `${round} ${implementation}`,
  );
  expect(order).toEqual(["1 ours", "1 Go", "2 Go", "2 ours", "3 ours", "3 Go"]);
});
