import type { LiveObject } from "../../crds/object.ts";
import { Reflector } from "../../operator/runtime/reflector.ts";
import { WatchedStore } from "../../operator/runtime/store.ts";
import { FakeClock } from "./fake-clock.ts";
import { RecordingHandler } from "./recording-handler.ts";
import { RecordingLogger } from "./recording-logger.ts";
import { ScriptedWatchSource } from "./scripted-watch-source.ts";

/** Objects a@2 and b@3. */
export function twoWidgets(source: ScriptedWatchSource): void {
  source.put({ name: "a" });
  source.put({ name: "b" });
}

/** The same on a server without sendInitialEvents: it uses lists. */
export function listOnly(source: ScriptedWatchSource): void {
  source.initialEvents = "rejected";
  twoWidgets(source);
}

/** For `describe.each`: expectations for both. */
export const waysToFill = [
  { by: "a watch with initial events", prepare: twoWidgets },
  { by: "lists", prepare: listOnly },
];

export interface RunningReflectorOptions {
  /** Called before the reflector starts. */
  readonly prepare?: (source: ScriptedWatchSource) => void;
  readonly random?: () => number;
  readonly transform?: (object: LiveObject) => LiveObject;
}

/** A running reflector between a scripted server and a store, with a handler that records its calls. */
export class RunningReflector implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly source = new ScriptedWatchSource(this.clock);
  readonly log = new RecordingLogger();
  readonly handler = new RecordingHandler();
  readonly store: WatchedStore;
  readonly reflector: Reflector;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  private constructor({ prepare, random = () => 0.5, transform }: RunningReflectorOptions) {
    const { clock, source, log } = this;
    this.store = new WatchedStore({ kind: source.kind, indexes: {}, log, ...(transform && { transform }) });
    this.store.subscribe(this.handler);
    this.reflector = new Reflector({ source, store: this.store, clock, random, log });
    prepare?.(source);
    this.#running = this.reflector.run(this.#stop.signal);
  }

  /** Starts, and runs everything that is due without advancing time. */
  static async start(options: RunningReflectorOptions = {}): Promise<RunningReflector> {
    const running = new RunningReflector(options);
    await running.clock.settle();
    return running;
  }

  /** The content of the store: key → resourceVersion. */
  get content(): Readonly<Record<string, string>> {
    return versionsOf(this.store.list());
  }

  /** The content of the server: key → resourceVersion. */
  get serverContent(): Readonly<Record<string, string>> {
    return versionsOf(this.source.content.values());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }
}

function versionsOf(objects: Iterable<LiveObject>): Record<string, string> {
  const versions: Record<string, string> = {};
  for (const { metadata } of objects)
    versions[`${metadata.namespace}/${metadata.name}`] = metadata.resourceVersion;
  return versions;
}
