import { Counter, Histogram, type Registry } from "prom-client";
import type { ApplyResult, ObjectAction } from "../engine/apply-result.ts";
import { shortTimeBuckets } from "./buckets.ts";

const applyResults: readonly ApplyResult[] = [
  "created",
  "updated",
  "restored",
  "adopted",
  "rejected",
  "not_owned",
  "conflict",
  "error",
];

/** Object counts of one controller's reconciles. */
export interface ObjectCounts {
  count(did: ObjectAction, objects: number): void;
  synthesized(tookMs: number): void;
}

/** Metrics of the changes to objects of resources. */
export class ObjectMetrics {
  readonly #applies: Counter<"controller" | "result">;
  readonly #kept: Counter<"controller">;
  readonly #pruned: Counter<"controller">;
  readonly #synth: Histogram<"controller">;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#applies = new Counter({
      name: "fairlead_applies_total",
      help: "Apply requests by result",
      labelNames: ["controller", "result"],
      registers,
    });
    const labelNames = ["controller"] as const;
    this.#kept = new Counter({
      name: "fairlead_objects_kept_total",
      help: "Objects that matched the desired state and needed no request",
      labelNames,
      registers,
    });
    this.#pruned = new Counter({
      name: "fairlead_objects_pruned_total",
      help: "Objects that were deleted because they are no longer desired",
      labelNames,
      registers,
    });
    this.#synth = new Histogram({
      name: "fairlead_synth_seconds",
      help: "Time to synthesize the manifests of a resource",
      labelNames,
      buckets: [...shortTimeBuckets],
      registers,
    });
  }

  /** The metrics of one controller; every series starts at 0. */
  observer(controller: string): ObjectCounts {
    const series = new Map<ObjectAction, Counter.Internal>([
      ...applyResults.map((result) => [result, this.#applies.labels({ controller, result })] as const),
      ["kept", this.#kept.labels({ controller })],
      ["pruned", this.#pruned.labels({ controller })],
    ]);
    for (const one of series.values()) one.inc(0);
    this.#synth.zero({ controller });
    const synth = this.#synth.labels({ controller });
    return {
      count: (did, objects) => series.get(did)?.inc(objects),
      synthesized: (tookMs) => synth.observe(tookMs / 1_000),
    };
  }
}
