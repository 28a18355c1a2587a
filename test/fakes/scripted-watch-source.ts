import { keyOf, type LiveObject, type ObjectKind } from "../../crds/object.ts";
import { isNewer } from "../../operator/engine/resource-version.ts";
import { WatchError } from "../../operator/errors.ts";
import type { Clock } from "../../operator/ports.ts";
import type { ListPage, WatchEvent, WatchSource } from "../../operator/runtime/ports.ts";
import { aLiveObject, type LiveObjectOptions, widgets } from "./objects.ts";
import { expired, tooLarge, unsupported } from "./watch-errors.ts";

type ListParams = Parameters<WatchSource["list"]>[0];
type WatchParams = Parameters<WatchSource["watch"]>[0];

/** One request, as received by the server. */
export interface SourceCall {
  readonly verb: "list" | "watch";
  readonly atMs: number;
  readonly resourceVersion: string;
  readonly limit: number | undefined;
  readonly continueToken: string | undefined;
  readonly sendInitialEvents: boolean;
  readonly timeoutSeconds: number | undefined;
}

/** The treatment of a request by a test: none, a rejection, or (for a watch) an immediate end without an event. */
export type Intercept = (call: SourceCall) => WatchError | "close" | undefined;

interface Change {
  readonly version: number;
  readonly event: WatchEvent;
}

interface OpenWatch {
  push(event: WatchEvent): void;
  end(error?: WatchError): void;
}

/**
 * One kind on an API server: a history of versions, lists by page, watches from a version. Tests change its content,
 * read the received requests, and let requests and watches fail.
 */
export class ScriptedWatchSource implements WatchSource {
  readonly kind: ObjectKind;
  isCustomKind = false;
  readonly calls: SourceCall[] = [];
  /** Called for each request. */
  intercept: Intercept = () => undefined;
  /** Whether the server supports `sendInitialEvents`. */
  initialEvents: "served" | "rejected" | "cut" | "ignored" = "served";
  /** resourceVersion of every list, instead of the true one. */
  listVersion: string | undefined;
  /** While true, open watches receive nothing; {@link release} sends the events. */
  #held: (() => void)[] | undefined;
  /** Returns pages also where a watch cache would return everything at once. */
  alwaysPages = false;
  readonly #clock: Clock;
  readonly #objects = new Map<string, LiveObject>();
  readonly #watches = new Set<OpenWatch>();
  #history: Change[] = [];
  #version = 1;
  #compacted = 0;

  constructor(clock: Clock, kind: ObjectKind = widgets) {
    this.#clock = clock;
    this.kind = kind;
  }

  get version(): string {
    return String(this.#version);
  }

  get openWatches(): number {
    return this.#watches.size;
  }

  get content(): ReadonlyMap<string, LiveObject> {
    return this.#objects;
  }

  callsOf(verb: "list" | "watch"): readonly SourceCall[] {
    return this.calls.filter((call) => call.verb === verb);
  }

  /** Creates or changes an object; with a different uid it becomes another object. */
  put(options: LiveObjectOptions): LiveObject {
    this.#version++;
    const object = aLiveObject({ kind: this.kind, ...options, resourceVersion: this.version });
    const type = this.#objects.has(keyOf(object)) ? "MODIFIED" : "ADDED";
    this.#objects.set(keyOf(object), object);
    this.#record({ type, object });
    return object;
  }

  remove(key: string): LiveObject {
    const last = this.#objects.get(key);
    if (last === undefined) throw new Error(`Cannot remove "${key}": no such object`);
    this.#version++;
    this.#objects.delete(key);
    const object = { ...last, metadata: { ...last.metadata, resourceVersion: this.version } };
    this.#record({ type: "DELETED", object });
    return object;
  }

  /** Drops the history so far: watches from an older version get 410. */
  compact(): void {
    this.#compacted = this.#version;
    this.#history = [];
  }

  /** Versions that are used elsewhere in the cluster. */
  skipVersions(count: number): void {
    this.#version += count;
  }

  bookmark(resourceVersion = this.version): void {
    this.send({ type: "BOOKMARK", resourceVersion, initialEventsEnd: false });
  }

  /** Sends an event to the open watches unchanged. */
  send(event: WatchEvent): void {
    this.#deliver((watch) => watch.push(event));
  }

  /** Ends the open watches: normally, or with an error. */
  cut(error?: WatchError): void {
    for (const watch of this.#watches) watch.end(error);
  }

  hold(): void {
    this.#held ??= [];
  }

  /** Sends the held events, unless they are lost. */
  release({ isLost = false } = {}): void {
    const held = isLost ? [] : (this.#held ?? []);
    this.#held = undefined;
    for (const deliver of held) deliver();
  }

  async list(params: ListParams): Promise<ListPage> {
    const { resourceVersion, limit, continueToken, signal } = params;
    this.#meet({ verb: "list", resourceVersion, limit, continueToken });
    await Promise.resolve();
    signal.throwIfAborted();
    if (isNewer(resourceVersion, this.version)) throw tooLarge();
    const fromCache = resourceVersion !== "" && !this.alwaysPages && continueToken === undefined;
    const size = fromCache || limit === undefined ? Number.POSITIVE_INFINITY : limit;
    const [from = "0", version = this.version] = continueToken?.split("@") ?? [];
    const start = Number(from);
    const all = [...this.#objects.values()];
    const isLast = start + size >= all.length;
    return {
      items: all.slice(start, start + size),
      resourceVersion: this.listVersion ?? version,
      continueToken: isLast ? undefined : `${start + size}@${version}`,
    };
  }

  async *watch(params: WatchParams): AsyncGenerator<WatchEvent, void, void> {
    const { resourceVersion, sendInitialEvents, timeoutSeconds, signal } = params;
    const isClosed = this.#meet({ verb: "watch", resourceVersion, sendInitialEvents, timeoutSeconds });
    await Promise.resolve();
    if (isClosed) return;
    if (sendInitialEvents && this.initialEvents === "rejected") throw unsupported();
    if (isNewer(resourceVersion, this.version)) throw tooLarge();
    if (
      isNewer(String(this.#compacted), resourceVersion) &&
      Number(resourceVersion) !== 0 &&
      !sendInitialEvents
    )
      throw expired();
    const events: WatchEvent[] = sendInitialEvents ? this.#initialEvents() : this.#since(resourceVersion);
    let wake = Promise.withResolvers<void>();
    let ended = false;
    let failure: WatchError | undefined;
    const watch: OpenWatch = {
      push: (event) => {
        if (ended) return;
        events.push(event);
        wake.resolve();
      },
      end: (error) => {
        ended = true;
        // Bytes in transit are lost with the connection.
        if (error !== undefined) events.length = 0;
        failure = error;
        wake.resolve();
      },
    };
    const stop = () => watch.end();
    signal.addEventListener("abort", stop, { once: true });
    this.#watches.add(watch);
    if (sendInitialEvents && this.initialEvents === "cut") watch.end();
    try {
      while (!signal.aborted) {
        const event = events.shift();
        if (event !== undefined) yield event;
        else if (ended) break;
        else {
          await wake.promise;
          wake = Promise.withResolvers();
        }
      }
      if (failure !== undefined) throw failure;
    } finally {
      this.#watches.delete(watch);
      signal.removeEventListener("abort", stop);
    }
  }

  #initialEvents(): WatchEvent[] {
    const all = [...this.#objects.values()].map((object): WatchEvent => ({ type: "ADDED", object }));
    if (this.initialEvents === "ignored") return all;
    if (this.initialEvents === "cut") return all.slice(0, Math.ceil(all.length / 2));
    return [...all, { type: "BOOKMARK", resourceVersion: this.version, initialEventsEnd: true }];
  }

  #since(resourceVersion: string): WatchEvent[] {
    if (resourceVersion === "" || resourceVersion === "0")
      return [...this.#objects.values()].map((object) => ({ type: "ADDED", object }));
    return this.#history.filter(({ version }) => version > Number(resourceVersion)).map(({ event }) => event);
  }

  #record(event: WatchEvent): void {
    this.#history.push({ version: this.#version, event });
    this.send(event);
  }

  #deliver(act: (watch: OpenWatch) => void): void {
    for (const watch of this.#watches) {
      if (this.#held === undefined) act(watch);
      else this.#held.push(() => act(watch));
    }
  }

  /** Records a request and lets the test reject it. @returns Whether to close it at once. */
  #meet(params: Pick<SourceCall, "verb" | "resourceVersion"> & Partial<SourceCall>): boolean {
    const call: SourceCall = {
      limit: undefined,
      continueToken: undefined,
      sendInitialEvents: false,
      timeoutSeconds: undefined,
      ...params,
      atMs: this.#clock.now(),
    };
    this.calls.push(call);
    const answer = this.intercept(call);
    if (answer instanceof WatchError) throw answer;
    return answer === "close";
  }
}
