import type { DeclaredKind } from "../../crds/binding.ts";
import { groupKindOf, type LiveObject, type ObjectKind } from "../../crds/object.ts";
import { KindStores, type KindStoresInput, type WatchRole } from "../../operator/runtime/kind-stores.ts";
import { FakeClock } from "./fake-clock.ts";
import { aGadgetKind } from "./gadget.ts";
import { RecordingLogger } from "./recording-logger.ts";
import { ScriptedWatchSource } from "./scripted-watch-source.ts";

export interface WatchedKindsOptions {
  readonly kinds?: readonly DeclaredKind[];
  readonly namespaces?: readonly string[];
  readonly transformOf?: KindStoresInput["transformOf"];
}

/** The stores of some kinds, each filled by a reflector from a separate server in memory. */
export class WatchedKinds implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly log = new RecordingLogger();
  readonly stores: KindStores;
  readonly #sources = new Map<string, ScriptedWatchSource>();
  readonly #stop = new AbortController();
  #running: Promise<unknown> = Promise.resolve();

  constructor({ kinds = [aGadgetKind()], namespaces = [], transformOf }: WatchedKindsOptions = {}) {
    const { clock, log } = this;
    this.stores = new KindStores({
      kinds,
      namespaces,
      ...(transformOf && { transformOf }),
      clock,
      random: () => 0.5,
      log,
      sourceOf: (kind, { role, namespace }) => {
        const source = new ScriptedWatchSource(clock, kind);
        this.#sources.set(idOf(role, kind, namespace), source);
        return source;
      },
    });
  }

  /** The watches, as `child configmaps` or `child configmaps in shop`, sorted. */
  get watches(): readonly string[] {
    return [...this.#sources.keys()].toSorted();
  }

  source(role: WatchRole, kind: ObjectKind, namespace?: string): ScriptedWatchSource {
    const source = this.#sources.get(idOf(role, kind, namespace));
    if (source === undefined) throw new Error(`nothing watches ${idOf(role, kind, namespace)}`);
    return source;
  }

  /** Starts all watches and runs everything that is due without advancing time. */
  async start(): Promise<void> {
    this.#running = this.stores.run(this.#stop.signal);
    await this.clock.settle();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }
}

function idOf(role: WatchRole, kind: ObjectKind, namespace: string | undefined): string {
  return `${role} ${groupKindOf(kind)}${namespace === undefined ? "" : ` in ${namespace}`}`;
}

/** The metadata of a child with a controller reference to the resource. */
export function controlledBy(
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  name: string,
): Partial<LiveObject["metadata"]> {
  return { ownerReferences: [{ apiVersion, kind, name, uid: `uid-of-${name}`, controller: true }] };
}
