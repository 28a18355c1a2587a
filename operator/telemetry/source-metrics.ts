import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { CustomResource, LiveObject } from "../../crds/object.ts";
import type { EngineStatus } from "../../crds/status.ts";
import { lagBuckets, shortTimeBuckets } from "./buckets.ts";

/** Counts of sources; read when metrics are scraped. */
export interface SourceCounts {
  readonly polls: number;
  readonly fetches: number;
  readonly rebuilds: number;
}

const sourceCounters: readonly (readonly [field: keyof SourceCounts, name: string, help: string])[] = [
  ["polls", "looks", "Polls of the heads of remotes of Releases and kinds"],
  ["fetches", "fetches", "Fetches from remotes of Releases and kinds, each after a new commit or tag"],
  ["rebuilds", "rebuilds", "Times that a clone of a repository was recreated"],
];

/** The metrics from a remote to manifests, `fairlead_release_*` by their old names. */
export class SourceMetrics {
  readonly #registry: Registry;
  readonly #renders: Counter;
  readonly #failures: Counter;
  readonly #bundles: Counter;
  readonly #first: Histogram;
  readonly #warm: Histogram;
  #showsSources = false;

  constructor(registry: Registry) {
    this.#registry = registry;
    const registers = [registry];
    const counter = (name: string, help: string) => new Counter({ name, help, registers });
    this.#renders = counter(
      "fairlead_release_renders_total",
      "Renders that ran; cached results do not count",
    );
    this.#failures = counter("fairlead_release_render_failures_total", "Renders that failed");
    this.#bundles = counter("fairlead_release_bundles_total", "Programs that were bundled");
    this.#first = new Histogram({
      name: "fairlead_release_program_first_render_duration_seconds",
      help: "Runs of programs in a process that has not run them before",
      buckets: [...lagBuckets],
      registers,
    });
    this.#warm = new Histogram({
      name: "fairlead_release_program_warm_render_duration_seconds",
      help: "Runs of programs in a process that has run them before",
      buckets: [...shortTimeBuckets],
      registers,
    });
  }

  /** Reads these counts from now on; a repeated call has no effect. */
  watchSources(read: () => SourceCounts): void {
    if (this.#showsSources) return;
    this.#showsSources = true;
    for (const [field, name, help] of sourceCounters) {
      new Counter({
        name: `fairlead_release_source_${name}_total`,
        help,
        registers: [this.#registry],
        collect() {
          this.reset();
          this.inc(read()[field]);
        },
      });
    }
  }

  /** Reads the condition `Sourced` of these resources from now on. */
  watchFailing(resources: { list(): Iterable<LiveObject> }): void {
    new Gauge({
      name: "fairlead_release_source_failing",
      help: "Releases whose source is unavailable, by the reason of their condition Sourced",
      labelNames: ["reason"],
      registers: [this.#registry],
      collect() {
        this.reset();
        // An alert on it also needs a series with the value 0.
        this.set({ reason: "SourceUnreachable" }, 0);
        for (const resource of resources.list()) {
          const { conditions = [] } = ((resource as CustomResource).status ?? {}) as Partial<EngineStatus>;
          const sourced = conditions.find(({ type }) => type === "Sourced");
          if (sourced?.status === "False") this.inc({ reason: sourced.reason });
        }
      },
    });
  }

  rendered({ outcome }: { readonly outcome: "ready" | "failed" }): void {
    this.#renders.inc();
    if (outcome === "failed") this.#failures.inc();
  }

  bundled(): void {
    this.#bundles.inc();
  }

  /** A program ran; `warm`: in a process that had run it before. */
  ran({ warm, durationMs }: { readonly warm: boolean; readonly durationMs: number }): void {
    (warm ? this.#warm : this.#first).observe(durationMs / 1_000);
  }
}
