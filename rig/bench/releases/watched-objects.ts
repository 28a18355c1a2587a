import { type BenchApi, isTrue } from "../load/bench-api.ts";

/** The fields of a watched object that are read here. */
export interface LiveObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly generation?: number;
    readonly deletionTimestamp?: string;
  };
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly data?: Readonly<Record<string, string>>;
  readonly status?: {
    readonly revision?: string;
    readonly observedGeneration?: number;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason: string;
      readonly message: string;
      readonly observedGeneration?: number;
    }[];
  };
}

/** A kind's objects in all namespaces, from a watch of the driver, and the waits for changes of them. */
export class WatchedObjects {
  readonly objects = new Map<string, LiveObject>();
  readonly #waiting = new Set<() => void>();
  readonly #signal: AbortSignal;

  private constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Starts the watch, which ends with the signal. `path` is the collection of all namespaces. */
  static async open(api: BenchApi, path: string, signal: AbortSignal): Promise<WatchedObjects> {
    const watched = new WatchedObjects(signal);
    await api.watch(path, ({ type, object }) => watched.#take(type, object as LiveObject), signal);
    return watched;
  }

  get(key: string): LiveObject | undefined {
    return this.objects.get(key);
  }

  /**
   * Waits for a condition, and returns the time (`performance.now()`) of the watch event that met it.
   *
   * @throws Error with the expectation after the timeout; the reason of the signal when it aborts.
   */
  async until(what: string, holds: () => boolean, timeoutMs = 600_000): Promise<number> {
    if (holds()) return performance.now();
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const check = (): void => {
      if (holds()) resolve(performance.now());
    };
    const timer = setTimeout(() => reject(new Error(`It did not happen that ${what}`)), timeoutMs);
    const stop = (): void => reject(this.#signal.reason);
    this.#signal.addEventListener("abort", stop);
    this.#waiting.add(check);
    try {
      this.#signal.throwIfAborted();
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#signal.removeEventListener("abort", stop);
      this.#waiting.delete(check);
    }
  }

  #take(type: string, object: LiveObject): void {
    const { namespace = "", name } = object.metadata;
    if (type === "BOOKMARK") return;
    if (type === "DELETED") this.objects.delete(`${namespace}/${name}`);
    else this.objects.set(`${namespace}/${name}`, object);
    for (const check of this.#waiting) check();
  }
}

/** Whether the operator has reported that the current generation is Ready. */
export function isReady(object: LiveObject): boolean {
  return isTrue(object, "Ready");
}
