import { Gauge, type Registry } from "prom-client";
import { type CustomResource, groupKindOf, type LiveObject, type ObjectKind } from "../../crds/object.ts";
import type { EngineStatus } from "../../crds/status.ts";

/** Further reasons have no time series of their own, because other clients may write statuses. */
const MOST_REASONS = 40;

/** One local copy, as it describes itself. */
export interface MeasuredStore {
  readonly role: string;
  readonly kind: ObjectKind;
  readonly store: { readonly size: number; list(): Iterable<LiveObject> };
  /** `synced` while its watch works. */
  readonly reflector: { readonly state: { readonly state: string } };
}

/** Contents of the watch caches, and readiness of resources. Read from the stores when metrics are scraped. */
export class StoreMetrics {
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /**
   * Reads these stores from now on, and those that `found` has at that time; those of several namespaces are combined.
   */
  watch(stores: readonly MeasuredStore[], found: readonly MeasuredStore[] = []): void {
    const all = (): readonly MeasuredStore[] => [...stores, ...found];
    const registers = [this.#registry];
    const labelNames = ["role", "kind"] as const;
    const labelsOf = ({ role, kind }: MeasuredStore) => ({ role, kind: groupKindOf(kind) });
    new Gauge({
      name: "fairlead_store_objects",
      help: "Objects in the watch caches",
      labelNames,
      registers,
      collect() {
        this.reset();
        for (const one of all()) this.inc(labelsOf(one), one.store.size);
      },
    });
    new Gauge({
      name: "fairlead_store_synced",
      help: "1 while the watch of a kind works in every namespace",
      labelNames,
      registers,
      collect() {
        for (const one of all()) this.set(labelsOf(one), 1);
        for (const one of all()) if (one.reflector.state.state !== "synced") this.set(labelsOf(one), 0);
      },
    });
    this.#watchResources(stores.filter(({ role }) => role === "resource"));
  }

  #watchResources(stores: readonly MeasuredStore[]): void {
    const reasons = new Set<string>();
    const labelOf = (reason: string): string => {
      if (reasons.size < MOST_REASONS) reasons.add(reason);
      return reasons.has(reason) ? reason : "other";
    };
    new Gauge({
      name: "fairlead_resources",
      help: "Resources by their condition Ready",
      labelNames: ["controller", "ready", "reason"],
      registers: [this.#registry],
      collect() {
        this.reset();
        for (const { kind, store } of stores) {
          const controller = groupKindOf(kind);
          this.set({ controller, ready: "True", reason: "Reconciled" }, 0);
          for (const [state, count] of countStates(store.list())) {
            const [ready = "", reason = ""] = state.split(" ");
            this.inc({ controller, ready, reason: labelOf(reason) }, count);
          }
        }
      },
    });
  }
}

/** Number of resources for each `<status> <reason>` of the condition Ready. */
function countStates(resources: Iterable<LiveObject>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const resource of resources) {
    const { conditions = [] } = ((resource as CustomResource).status ?? {}) as Partial<EngineStatus>;
    const { status = "Unknown", reason = "" } = conditions.find(({ type }) => type === "Ready") ?? {};
    const state = `${status} ${reason}`;
    counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  return counts;
}
