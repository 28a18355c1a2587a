import { describe, expect, test } from "vitest";
import { RunClock } from "../../operator/engine/run-clock.ts";
import type { ManifestSet } from "../../synth/manifest.ts";
import { synthesize } from "../../synth/synthesize.ts";
import { createSynthesizer } from "../../synth/synthesizer.ts";
import { observe } from "../fakes/observed.ts";
import { aResource } from "../fakes/resources.ts";
import { aTimedKind } from "../fakes/timed-kind.ts";

const startMs = Date.parse("2026-01-01T00:00:00Z");
const at = (seconds: number): string => new Date(startMs + seconds * 1_000).toISOString();
const passedIn = (set: ManifestSet | undefined): unknown => set?.manifests[0]?.["data"];

describe("createSynthesizer(), for a kind that reads a clock", () => {
  const { kind, runs } = aTimedKind();
  const resource = aResource(kind, { spec: { instants: [at(20), at(10), at(-5)] } });

  test("keeps a result until the earliest instant that its chart used", () => {
    const synthesizer = createSynthesizer();
    const seen = [0, 9, 10, 19, 20, 100].map((second) => {
      const clock = new RunClock(startMs + second * 1_000);
      const set = synthesizer(kind, resource, observe(), { clock, record: {} });
      return { passed: passedIn(set), next: clock.untilNextMs(startMs), runs: runs.count };
    });
    expect(seen).toEqual([
      { passed: { passed: "false,false,true" }, next: 10_000, runs: 1 },
      { passed: { passed: "false,false,true" }, next: 10_000, runs: 1 },
      { passed: { passed: "false,true,true" }, next: 20_000, runs: 2 },
      { passed: { passed: "false,true,true" }, next: 20_000, runs: 2 },
      { passed: { passed: "true,true,true" }, next: undefined, runs: 3 },
      { passed: { passed: "true,true,true" }, next: undefined, runs: 3 },
    ]);
  });

  test("runs the chart again when the time is set back", () => {
    const synthesizer = createSynthesizer();
    const passed = [15, 5].map((second) => {
      const clock = new RunClock(startMs + second * 1_000);
      return passedIn(synthesizer(kind, resource, observe(), { clock, record: {} }));
    });
    expect(passed).toEqual([{ passed: "false,true,true" }, { passed: "false,false,true" }]);
  });
});

test("synthesize() without a clock treats no instant as passed", () => {
  const { kind } = aTimedKind();
  const resource = aResource(kind, { spec: { instants: [at(-5)] } });
  expect(passedIn(synthesize(kind, resource, observe()))).toEqual({ passed: "false" });
});
