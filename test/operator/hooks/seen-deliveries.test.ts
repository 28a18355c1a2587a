import { expect, test } from "vitest";
import { rememberDeliveries } from "../../../operator/hooks/seen-deliveries.ts";
import { FakeClock } from "../../fakes/fake-clock.ts";

test("a delivery is remembered for five minutes, for its own hook", async () => {
  const clock = new FakeClock();
  const wasSeen = rememberDeliveries(clock);
  expect([wasSeen("a", "1"), wasSeen("a", "1"), wasSeen("b", "1"), wasSeen("a", "2")]).toEqual([
    false,
    true,
    false,
    false,
  ]);
  await clock.advance(5 * 60_000);
  expect(wasSeen("a", "1")).toBe(true);
  await clock.advance(1);
  expect(wasSeen("a", "1")).toBe(false);
});

test("a delivery without a valid id always counts as new", () => {
  const wasSeen = rememberDeliveries(new FakeClock());
  for (const id of [undefined, "", "x".repeat(200), ["1"]])
    expect([wasSeen("a", id), wasSeen("a", id)]).toEqual([false, false]);
});

test("the oldest entry is removed when there are very many", () => {
  const wasSeen = rememberDeliveries(new FakeClock());
  for (let id = 0; id < 5_000; id++) wasSeen("a", String(id));
  expect([wasSeen("a", "4999"), wasSeen("a", "4001"), wasSeen("a", "0")]).toEqual([true, true, false]);
});
