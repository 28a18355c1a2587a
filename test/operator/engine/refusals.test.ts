import { describe, expect, test } from "vitest";
import { ConfigMap } from "../../../crds/core-kinds.ts";
import type { ApplyStep } from "../../../operator/engine/decide-object.ts";
import { Refusals } from "../../../operator/engine/refusals.ts";
import { ObjectRejectedError } from "../../../operator/errors.ts";
import { FakeClock } from "../../fakes/fake-clock.ts";
import { aGadgetKind } from "../../fakes/gadget.ts";
import { aLiveObject } from "../../fakes/objects.ts";
import { aResource } from "../../fakes/resources.ts";

const resource = aResource(aGadgetKind());
const step: ApplyStep = {
  kind: ConfigMap,
  manifest: aLiveObject({ name: "a" }),
  guard: { mode: "create" },
  live: undefined,
  because: "absent",
};

describe("Refusals", () => {
  test.for([
    { by: "a schema", options: { isBySchema: true }, delays: [100, 100, 200, 400, 800] },
    {
      by: "another object's node port",
      options: { isContested: true },
      delays: [250, 250, 500, 1_000, 2_000],
    },
  ])("retries a refusal by $by with increasing delays", async ({ options, delays }) => {
    const clock = new FakeClock();
    const refusals = new Refusals(clock);
    const error = new ObjectRejectedError("example.dev/Widget/shop/a", "no", options);
    const seen: number[] = [];
    for (const _ of delays) {
      refusals.remember("shop/web", step, resource, error);
      const afterMs = refusals.retryAfterMs("shop/web") ?? 0;
      seen.push(afterMs);
      expect(refusals.find("shop/web", step, resource)).toBe(error);
      await clock.advance(afterMs);
      expect(refusals.find("shop/web", step, resource)).toBeUndefined();
    }
    // Each a millisecond more than what is remembered, on both sides of a doubling.
    expect(seen.map((ms, at) => Math.abs(ms - (delays[at] ?? 0)) <= 20)).toEqual(delays.map(() => true));
  });

  test("waits at most a minute between retries of a refusal by a schema", async () => {
    const clock = new FakeClock();
    const refusals = new Refusals(clock);
    const error = new ObjectRejectedError("example.dev/Widget/shop/a", "no", { isBySchema: true });
    refusals.remember("shop/web", step, resource, error);
    await clock.advance(3_600_000);
    refusals.remember("shop/web", step, resource, error);
    expect(refusals.retryAfterMs("shop/web")).toBe(60_001);
  });

  test("schedules no retry in a run that did not send the request, for example of a suspended resource", async () => {
    const clock = new FakeClock();
    const refusals = new Refusals(clock);
    const error = new ObjectRejectedError("example.dev/Widget/shop/a", "no", { isBySchema: true });
    refusals.remember("shop/web", step, resource, error);
    expect(refusals.retryAfterMs("shop/web")).toBe(101);
    await clock.advance(101);
    expect(refusals.retryAfterMs("shop/web")).toBeUndefined();
  });

  test("does not retry a permanent refusal", () => {
    const refusals = new Refusals(new FakeClock());
    refusals.remember("shop/web", step, resource, new ObjectRejectedError("/ConfigMap/shop/a", "no"));
    expect(refusals.retryAfterMs("shop/web")).toBeUndefined();
  });
});
