import { setTimeout as sleep } from "node:timers/promises";
import {
  aBenchSet,
  type BenchApi,
  benchSetsPath,
  configMapsPath,
  isPublished,
  type SeenEvent,
} from "./bench-api.ts";

/** Durations of edits in milliseconds, from the API server's response. */
export interface EditLatencies {
  /** Until the children were up to date. */
  readonly children: number[];
  /** Until the status contained the commit. */
  readonly published: number[];
}

/** Resources that are edited one at a time. */
export class QuietResources {
  readonly #api: BenchApi;
  readonly #names: readonly string[];
  readonly #sizes = new Map<string, number>();
  #onEvent: (path: string, event: SeenEvent) => void = () => undefined;

  constructor(api: BenchApi, count: number) {
    this.#api = api;
    this.#names = Array.from({ length: count }, (_, index) => `quiet-${index}`);
  }

  /** Creates them, and waits until all are published. */
  async fill(signal: AbortSignal): Promise<void> {
    for (const path of [configMapsPath, benchSetsPath])
      await this.#api.watch(path, (event) => this.#onEvent(path, event), signal);
    const open = new Set(this.#names);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onEvent = (path, { object }) => {
      if (path === benchSetsPath && isPublished(object)) open.delete(object.metadata.name);
      if (open.size === 0) resolve();
    };
    for (const name of this.#names) {
      this.#sizes.set(name, 3);
      await this.#api.apply(`${benchSetsPath}/${name}`, aBenchSet(name, 3));
    }
    await promise;
  }

  /** Makes this number of edits, one at a time: one more child, or one fewer. */
  async edit(count: number): Promise<EditLatencies> {
    const latencies: EditLatencies = { children: [], published: [] };
    for (let edit = 0; edit < count; edit++) {
      const name = this.#names[edit % this.#names.length] ?? "";
      const size = this.#sizes.get(name) === 3 ? 4 : 3;
      this.#sizes.set(name, size);
      const { children, published } = await this.#one(name, size);
      latencies.children.push(children);
      latencies.published.push(published);
      await sleep(100);
    }
    return latencies;
  }

  async #one(name: string, size: number): Promise<{ children: number; published: number }> {
    const right = Promise.withResolvers<number>();
    const reported = Promise.withResolvers<number>();
    let isRight = false;
    this.#onEvent = (path, { type, object }) => {
      if (path === configMapsPath && object.metadata.name === `${name}-3`) {
        isRight = type === (size === 4 ? "ADDED" : "DELETED");
        if (isRight) right.resolve(performance.now());
      }
      if (isRight && path === benchSetsPath && object.metadata.name === name && isPublished(object))
        reported.resolve(performance.now());
    };
    await this.#api.send("PATCH", `${benchSetsPath}/${name}`, { spec: { size } });
    const startMs = performance.now();
    const late = AbortSignal.timeout(60_000);
    late.addEventListener("abort", () => {
      const error = new Error(`An edit of ${name} was not followed within 60 s`);
      right.reject(error);
      reported.reject(error);
    });
    const [children, published] = await Promise.all([right.promise, reported.promise]);
    // The watch event may arrive before the response.
    return { children: Math.max(0, children - startMs), published: Math.max(0, published - startMs) };
  }
}
