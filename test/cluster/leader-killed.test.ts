import { expect, test } from "vitest";
import { aPair, expectApplies, firstWriteAfter, names, untilText } from "./leader-pair.ts";

test("of two operators the other one writes within 24 s after the first was killed", async () => {
  const pair = await aPair();
  const { harness, leader, standby } = pair;
  const killed = new Date();
  await leader.operator.stop("SIGKILL");
  await harness.apply(names, { text: "two" });
  expect(await firstWriteAfter(standby, killed)).toBeLessThan(24);
  await untilText(pair, "two");
  await expectApplies(pair, 2);
});
