import { Counter, Histogram, type Registry } from "prom-client";
import { requestTimeBuckets } from "./buckets.ts";

/** One response of the API server, or none: then `code` is `<error>`. */
export interface Requested {
  readonly code: string;
  readonly method: string;
  readonly host: string;
  readonly tookMs: number;
}

/** client-go's rest_client_* metrics. There are few series and many requests: each is looked up once. */
export class RequestMetrics {
  readonly #total: Counter<"code" | "method" | "host">;
  readonly #time: Histogram<"verb" | "host">;
  readonly #retries: Counter<"code" | "verb" | "host">;
  readonly #totals = new Map<string, Counter.Internal>();
  readonly #times = new Map<string, Histogram.Internal<"verb" | "host">>();

  constructor(registry: Registry) {
    const registers = [registry];
    this.#total = new Counter({
      name: "rest_client_requests_total",
      help: "Requests to the API server; code is <error> without a response",
      labelNames: ["code", "method", "host"],
      registers,
    });
    this.#time = new Histogram({
      name: "rest_client_request_duration_seconds",
      help: "Response time of the API server",
      labelNames: ["verb", "host"],
      buckets: [...requestTimeBuckets],
      registers,
    });
    this.#retries = new Counter({
      name: "rest_client_request_retries_total",
      help: "Retried requests by the previous response",
      labelNames: ["code", "verb", "host"],
      registers,
    });
  }

  requested({ code, method, host, tookMs }: Requested): void {
    const total = this.#totals.getOrInsertComputed(`${code} ${method} ${host}`, () =>
      this.#total.labels({ code, method, host }),
    );
    const time = this.#times.getOrInsertComputed(`${method} ${host}`, () =>
      this.#time.labels({ verb: method, host }),
    );
    total.inc();
    time.observe(tookMs / 1_000);
  }

  retried({ code, method, host }: Omit<Requested, "tookMs">): void {
    this.#retries.inc({ code, verb: method, host });
  }
}
