import { Registry } from "prom-client";
import { describe, expect, test } from "vitest";
import type { KindMetric } from "../../../crds/kind-metrics.ts";
import type { CustomResource, LiveObject } from "../../../crds/object.ts";
import { KindMetrics } from "../../../operator/telemetry/kind-metrics.ts";
import { Gadget } from "../../fakes/gadget.ts";
import { aLiveObject, widgets } from "../../fakes/objects.ts";
import { RecordingLogger } from "../../fakes/recording-logger.ts";

interface Status {
  readonly done?: number;
  readonly took?: readonly number[];
}

const statusOf = (resource: LiveObject): Status => (resource["status"] ?? {}) as Status;
const namesOf = ({ metadata }: LiveObject) => ({ name: metadata.name });
const base = { help: "Something", labels: ["name"] } as const;
const running: KindMetric = {
  ...base,
  type: "gauge",
  name: "gadgets_running",
  samples: (gadget) => [{ labels: namesOf(gadget), value: statusOf(gadget).done ?? 0 }],
};
const done: KindMetric = {
  ...base,
  type: "counter",
  name: "gadgets_done_total",
  samples: (gadget) => {
    const { done: value } = statusOf(gadget);
    return value === undefined ? [] : [{ labels: namesOf(gadget), value }];
  },
};
const took: KindMetric = {
  ...base,
  type: "histogram",
  name: "gadgets_seconds",
  buckets: [10],
  samples: (gadget) => (statusOf(gadget).took ?? []).map((value) => ({ labels: namesOf(gadget), value })),
};

/** The metrics of Gadgets, as they are shown, and Gadgets whose statuses are written. */
function measured(metrics: readonly KindMetric[], { isLeading = true } = {}) {
  const registry = new Registry();
  const log = new RecordingLogger();
  const gadgets = new Map<string, LiveObject>();
  const others: LiveObject[] = [];
  const stores = {
    resources: ({ kind }: { readonly kind: string }) => ({
      list: () => (kind === Gadget.kind ? gadgets.values() : others),
    }),
  };
  const now = { isLeading };
  const onStatus = new KindMetrics(registry).observe(
    { definition: Gadget, metrics },
    { stores, isLeading: () => now.isLeading, log },
  );
  const put = (name: string, status: Status): LiveObject => {
    const gadget = aLiveObject({ kind: Gadget, name, fields: { status } });
    gadgets.set(name, gadget);
    return gadget;
  };
  return {
    ...{ log, others, now, onStatus, put },
    write: (name: string, status: Status) => {
      const before = (gadgets.get(name) ?? aLiveObject({ kind: Gadget, name })) as CustomResource;
      onStatus?.(before, put(name, status));
    },
    remove: (name: string) => gadgets.delete(name),
    shown: async () =>
      (await registry.metrics()).split("\n").filter((line) => line !== "" && !line.startsWith("#")),
  };
}

describe("a gauge of a kind", () => {
  test("shows the existing resources", async () => {
    const { put, remove, shown } = measured([running]);
    put("a", { done: 3 });
    put("b", {});
    expect(await shown()).toEqual(['gadgets_running{name="a"} 3', 'gadgets_running{name="b"} 0']);
    remove("a");
    expect(await shown()).toEqual(['gadgets_running{name="b"} 0']);
  });

  test("is shown only by the leader", async () => {
    const { put, shown, now } = measured([running, done, took], { isLeading: false });
    put("a", { done: 3, took: [1] });
    expect(await shown()).toEqual([]);
    now.isLeading = true;
    expect(await shown()).toContain('gadgets_running{name="a"} 3');
  });

  test("has no more than 10,000 series", async () => {
    const { put, shown } = measured([running]);
    for (let index = 0; index < 10_001; index++) put(`g${index}`, {});
    expect(await shown()).toHaveLength(10_000);
  });
});

describe("a counter of a kind", () => {
  test("counts the growth of a resource's samples", async () => {
    const { write, shown } = measured([done]);
    write("a", { done: 2 });
    write("a", { done: 2 });
    write("a", { done: 5 });
    expect(await shown()).toEqual(['gadgets_done_total{name="a"} 5']);
  });

  test("does not decrease, and counts again after a value decreased", async () => {
    const { write, shown } = measured([done]);
    write("a", { done: 2 });
    write("a", {});
    expect(await shown()).toEqual([]);
    write("a", { done: 1 });
    expect(await shown()).toEqual(['gadgets_done_total{name="a"} 1']);
  });

  test("does not count values from before the operator started", async () => {
    const { put, write, shown } = measured([done, took]);
    put("a", { done: 7, took: [3] });
    write("a", { done: 8, took: [3] });
    expect(await shown()).toEqual([
      'gadgets_done_total{name="a"} 1',
      'gadgets_seconds_bucket{le="10",name="a"} 0',
      'gadgets_seconds_bucket{le="+Inf",name="a"} 0',
      'gadgets_seconds_sum{name="a"} 0',
      'gadgets_seconds_count{name="a"} 0',
    ]);
  });

  test("removes the series of a deleted resource", async () => {
    const { write, remove, shown } = measured([done]);
    write("a", { done: 2 });
    write("b", { done: 1 });
    remove("a");
    expect(await shown()).toEqual(['gadgets_done_total{name="b"} 1']);
    // A new one of this name begins at zero.
    write("a", { done: 1 });
    expect(await shown()).toContain('gadgets_done_total{name="a"} 1');
  });

  test("has the series that resources of another kind declare, each starting at zero, and no others", async () => {
    const series = { kind: widgets, of: namesOf };
    const of = (resource: LiveObject) => [series.of(resource)];
    const { write, others, shown } = measured([{ ...done, series: { kind: widgets, of } }]);
    others.push(aLiveObject({ name: "a" }));
    write("b", { done: 4 });
    expect(await shown()).toEqual(['gadgets_done_total{name="a"} 0']);
    write("a", { done: 4 });
    expect(await shown()).toEqual(['gadgets_done_total{name="a"} 4']);
    others.pop();
    expect(await shown()).toEqual([]);
  });
});

describe("a histogram of a kind", () => {
  test("observes each sample once, including equal ones", async () => {
    const { write, shown } = measured([took]);
    write("a", { took: [3] });
    write("a", { took: [3] });
    write("a", { took: [3, 3, 30] });
    expect(await shown()).toEqual([
      'gadgets_seconds_bucket{le="10",name="a"} 2',
      'gadgets_seconds_bucket{le="+Inf",name="a"} 3',
      'gadgets_seconds_sum{name="a"} 36',
      'gadgets_seconds_count{name="a"} 3',
    ]);
  });
});

describe("the metrics of a kind", () => {
  test("are not observed if no metric counts", () => {
    expect(measured([]).onStatus).toBeUndefined();
    expect(measured([running]).onStatus).toBeUndefined();
  });

  test("have only the declared labels, and only finite values", async () => {
    const samples = () => [
      { labels: { more: "x" }, value: 1 },
      { labels: { name: "b" }, value: Number.NaN },
    ];
    const { put, shown } = measured([{ ...running, samples }]);
    put("a", {});
    expect(await shown()).toEqual(['gadgets_running{name=""} 1']);
  });

  test("that cannot be read are logged once, and do not hide others", async () => {
    const samples = () => {
      throw new TypeError("no status");
    };
    const broken = { ...done, name: "gadgets_broken_total", samples };
    const { write, shown, log } = measured([broken, done]);
    write("a", { done: 1 });
    write("b", { done: 1 });
    expect(await shown()).toEqual(['gadgets_done_total{name="a"} 1', 'gadgets_done_total{name="b"} 1']);
    expect(log.messages("warn")).toEqual(["Cannot read a metric of a resource"]);
  });
});
