import { expect, test } from "vitest";
import type { KindSource, ReadySource } from "../../crds/kind-source.ts";
import { SynthesisError } from "../../synth/synthesis-error.ts";
import { synthesize } from "../../synth/synthesize.ts";
import { createSynthesizer } from "../../synth/synthesizer.ts";
import { buildInfo } from "../examples/build-info.ts";
import { aCommit } from "../fakes/releases.ts";
import { aResource } from "../fakes/resources.ts";

const resource = aResource(buildInfo, {
  spec: { url: "https://git.example.dev/shop", branch: "main", path: "web", suspend: false },
});
const nothing = { list: () => [], find: () => undefined };
const clock = { reached: () => false };
const ready = (digit: string): ReadySource => {
  const commit = aCommit(digit);
  return { state: "ready", head: commit, changed: commit, isAssumed: false, tree: `tree-${digit}` };
};

test("createSynthesizer() runs a chart again when its source has changed, and only then", () => {
  const runs = { count: 0 };
  class CountedChart extends buildInfo.chart {
    constructor(...args: ConstructorParameters<typeof buildInfo.chart>) {
      super(...args);
      runs.count++;
    }
  }
  const kind = { ...buildInfo, chart: CountedChart } as typeof buildInfo;
  const synthesizer = createSynthesizer();
  const run = (source: KindSource) => synthesizer(kind, resource, nothing, { clock, record: {}, source });
  run(ready("1"));
  run(ready("1"));
  expect(runs.count).toBe(1);
  run(ready("2"));
  expect(runs.count).toBe(2);
});

test("synthesize() fails with a message without the source that a kind requires", () => {
  expect(() => synthesize(buildInfo, resource, nothing)).toThrow(SynthesisError);
  expect(() => synthesize(buildInfo, resource, nothing)).toThrow("its chart needs the head of its source");
});

test("synthesize() passes a pending source to a kind that requires none", () => {
  const seen: unknown[] = [];
  class SeeingChart extends buildInfo.chart {
    constructor(...args: ConstructorParameters<typeof buildInfo.chart>) {
      super(...args);
      seen.push((args[2] as unknown as { readonly source: unknown }).source);
    }
  }
  const source = { required: false, of: () => ({ url: "https://git.example.dev/shop" }) };
  const kind = { ...buildInfo, chart: SeeingChart, source } as typeof buildInfo;
  synthesize(kind, resource, nothing);
  expect(seen).toEqual([{ state: "pending" }]);
});
