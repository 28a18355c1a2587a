import { Registry } from "prom-client";
import { describe, expect, test } from "vitest";
import { LagMetrics } from "../../../operator/telemetry/lag-metrics.ts";
import { FakeClock } from "../../fakes/fake-clock.ts";

function aLag({ hasRepository = true } = {}) {
  const registry = new Registry();
  const clock = new FakeClock();
  const lag = new LagMetrics(registry, { hasRepository }).observer("echo", clock);
  /** `<count> in <sum of seconds>`. */
  const shown = async (name: string): Promise<string> => {
    const text = await registry.metrics();
    const value = (part: string): string =>
      new RegExp(`^fairlead_edit_to_${name}_seconds_${part}\\{.*\\} (.*)$`, "m").exec(text)?.[1] ?? "none";
    return `${value("count")} in ${value("sum")}`;
  };
  return { clock, lag, shown };
}

describe("the lag of an edit", () => {
  test("is measured from its watch event to its effects", async () => {
    const { clock, lag, shown } = aLag();
    expect(await shown("live")).toBe("0 in 0");
    lag.edited("shop/web", 2);
    await clock.advance(100);
    lag.live("shop/web", 2);
    await clock.advance(900);
    lag.committed("shop/web", 2);
    // A run without a change is not an edit.
    lag.live("shop/web", 2);
    lag.committed("shop/web", 2);
    expect([await shown("live"), await shown("commit")]).toEqual(["1 in 0.1", "1 in 1"]);
  });

  test("counts from the first edit that is not applied yet", async () => {
    const { clock, lag, shown } = aLag();
    lag.edited("shop/web", 2);
    await clock.advance(1_000);
    lag.edited("shop/web", 3);
    lag.live("shop/web", 3);
    expect(await shown("live")).toBe("1 in 1");
  });

  test("continues for an edit that arrived while another one was applied", async () => {
    const { clock, lag, shown } = aLag();
    lag.edited("shop/web", 2);
    await clock.advance(1_000);
    lag.edited("shop/web", 3);
    lag.live("shop/web", 2);
    await clock.advance(500);
    lag.live("shop/web", 3);
    expect(await shown("live")).toBe("2 in 1.5");
  });

  test("does not end with a run that started before the edit arrived", async () => {
    const { clock, lag, shown } = aLag();
    lag.edited("shop/web", 2);
    lag.live("shop/web", 1);
    expect(await shown("live")).toBe("0 in 0");
    await clock.advance(1_000);
    lag.live("shop/web", 2);
    expect(await shown("live")).toBe("1 in 1");
  });

  test("is dropped with the resource", async () => {
    const { lag, shown } = aLag();
    lag.edited("shop/web", 2);
    lag.forget("shop/web");
    lag.live("shop/web", 2);
    expect(await shown("live")).toBe("0 in 0");
  });

  test("has no commit without a repository", async () => {
    const { lag, shown } = aLag({ hasRepository: false });
    lag.edited("shop/web", 2);
    lag.committed("shop/web", 2);
    expect(await shown("commit")).toBe("none in none");
  });
});
