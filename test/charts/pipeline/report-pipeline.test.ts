import { expect, test } from "vitest";
import { aShop, everywhere, hour, second, silence } from "./stages.ts";

test("a Pipeline is ready only after its first stage has started, and not while the first commit is planned", () => {
  const world = aShop();
  const verdict = () => (world.pipeline.status as unknown as { readonly verdict: object }).verdict;
  world.run(second);
  expect(verdict()).toEqual({
    status: "InProgress",
    message: "waiting for the first commit of the source",
  });
  const answer = silence(world, "prod");
  const first = world.push(everywhere("1"));
  world.run(20 * second);
  expect(verdict()).toEqual({
    status: "InProgress",
    message: `planning ${first.slice(0, 12)} for all stages`,
  });
  answer();
  world.run(hour);
  expect(verdict()).toMatchObject({ status: "Current" });
});
