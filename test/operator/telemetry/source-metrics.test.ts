import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { Release } from "../../../crds/release.ts";
import { SourceMetrics } from "../../../operator/telemetry/source-metrics.ts";
import { aLiveObject } from "../../fakes/objects.ts";

test("Releases with an unavailable source are counted by the reason, ready or not", async () => {
  const release = (name: string, status?: string, reason?: string) => ({
    ...aLiveObject({ kind: Release, name }),
    ...(status && { status: { conditions: [{ type: "Sourced", status, reason }] } }),
  });
  const releases = [
    release("a", "True", "Sourced"),
    release("b", "False", "SourceUnreachable"),
    release("c", "False", "SourceUnreachable"),
    release("d", "False", "SourceNotFound"),
    release("e"),
  ];
  const registry = new Registry();
  new SourceMetrics(registry).watchFailing({ list: () => releases });
  const lines = (await registry.metrics()).split("\n").filter((line) => line.includes("failing{"));
  expect(lines).toEqual([
    'fairlead_release_source_failing{reason="SourceUnreachable"} 2',
    'fairlead_release_source_failing{reason="SourceNotFound"} 1',
  ]);
});

test("the counters of sources are shown once, for kinds and Releases together", async () => {
  const registry = new Registry();
  const metrics = new SourceMetrics(registry);
  for (let times = 0; times < 2; times++) metrics.watchSources(() => ({ polls: 3, fetches: 2, rebuilds: 0 }));
  expect(await registry.metrics()).toContain("fairlead_release_source_looks_total 3");
});
