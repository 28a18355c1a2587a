import { expect, test } from "vitest";
import { DeliveryWorld } from "./delivery-world.ts";
import { aShop, everywhere, hour, second, silence, threeStages } from "./stages.ts";

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

test("a Release that does not exist yet is a failure only some seconds after the creation of the Pipeline", () => {
  const world = new DeliveryWorld({ stages: threeStages(), throughCharts: true });
  world.remove("Release", "prod");
  const verdict = () => (world.pipeline.status as unknown as { readonly verdict: object }).verdict;
  const message =
    'prod: Release "shop/prod" does not exist, or does not name this Pipeline in source.ref.pipeline';
  world.run(second);
  expect(verdict()).toEqual({ status: "InProgress", message });
  world.run(5 * second);
  expect(verdict()).toEqual({ status: "Failed", message });
});

test("so many missing Releases that their list is shortened are no failure of a new Pipeline either", () => {
  const releases = Array.from({ length: 100 }, (_, index) => ({ name: `prod-${index}` }));
  const world = new DeliveryWorld({ stages: threeStages({ prod: { releases } }), throughCharts: true });
  for (const { name } of releases) world.remove("Release", name);
  world.run(second);
  expect(world.pipeline.status).toMatchObject({
    verdict: { status: "InProgress", message: expect.stringMatching(/prod: and \d+ more$/) },
  });
});

test("another problem of a new Pipeline is a failure at once", () => {
  const world = new DeliveryWorld({ stages: threeStages({ dev: { releases: [] } }), throughCharts: true });
  world.remove("Release", "prod");
  world.run(second);
  expect(world.pipeline.status).toMatchObject({
    verdict: {
      status: "Failed",
      message: expect.stringContaining("dev: the stage has no Releases; prod: Release"),
    },
  });
});
