import type { Condition } from "../../crds/conditions.ts";
import { groupKindOf, type LiveObject, type ObjectKind } from "../../crds/object.ts";
import { Release, type ReleaseResource } from "../../crds/release.ts";
import type { FoundStores } from "../../operator/cluster/found-kinds/ports.ts";
import { Dependents } from "../../operator/desire/release/dependents.ts";
import type { Limits, SelectedRules } from "../../operator/desire/release/limits.ts";
import { createPreparer } from "../../operator/desire/release/preparer.ts";
import { ReleaseMemory } from "../../operator/desire/release/release-memory.ts";
import { type ReleaseParts, releaseSteps } from "../../operator/desire/release/release-steps.ts";
import type { OwnedObject } from "../../operator/engine/desired-set.ts";
import { createHealthChecks } from "../../operator/engine/health/health-checks.ts";
import { LostObjects } from "../../operator/engine/lost.ts";
import { OutageNotices } from "../../operator/engine/outage-notices.ts";
import { Refusals } from "../../operator/engine/refusals.ts";
import { SettledObjects } from "../../operator/engine/settled.ts";
import type { SourceFailure } from "../../operator/errors.ts";
import type { SourceState } from "../../operator/git/source/ports.ts";
import type { Reconcile, ReconcileResult } from "../../operator/ports.ts";
import { createReconcile } from "../../operator/reconcile.ts";
import type { Rendered } from "../../operator/render/ports.ts";
import { WatchedStore } from "../../operator/runtime/store.ts";
import { idOf, type Manifest, stamps } from "../../synth/manifest.ts";
import { setOf } from "../../synth/stamp.ts";
import { FakeClock } from "./fake-clock.ts";
import { FakeCluster } from "./fake-cluster.ts";
import { aKnowingCatalog } from "./knowing-catalog.ts";
import { RecordingLogger } from "./recording-logger.ts";
import { aCatalog, aPlatform, aRelease, aRevision, asRendered } from "./releases.ts";

/** What a commit holds, or why it cannot be had. */
type Source =
  | { readonly digit: string; readonly rendered: Rendered; readonly tree?: string; stale?: SourceFailure }
  | { readonly source: SourceFailure }
  | { readonly digit: string; readonly render: SourceFailure | "pending" };

const idle = { forget: () => undefined, close: async () => undefined };
/** The reconcile of Releases with everything around it in memory: their sources are what a test says. */
export class ReleaseBench {
  readonly cluster = new FakeCluster();
  readonly clock = new FakeClock();
  readonly log = new RecordingLogger();
  readonly events: { readonly type: string; readonly reason: string; readonly note: string }[] = [];
  /** Keys that were put back into the queue. */
  readonly woken: string[] = [];
  /** Kinds whose first list has not come, by their plural. */
  readonly unsynced = new Set<string>();
  readonly refused = new Map<string, string>();
  readonly newDefinitions = new Set<string>(); // kinds whose definitions changed a moment ago
  /** What reading a Secret gives. */
  readonly secrets: { read: () => Promise<ReadonlyMap<string, string>> } = { read: async () => new Map() };
  readonly lost = new LostObjects();
  predecessorMs = 0;
  /** What the platform allows. */
  limits: Limits = [];
  rules: SelectedRules | undefined;
  /** Secrets that are to be read anew. */
  readonly forgotten: string[] = [];
  readonly dependents = new Dependents();
  explain: () => object = () => ({}); // the reasons of the last run
  readonly memory = new ReleaseMemory();
  readonly #releases = new WatchedStore({
    kind: Release,
    indexes: { set: (object) => setOf(Release, object) },
  });
  readonly #stores = new Map<string, { readonly kind: ObjectKind; readonly store: WatchedStore }>();
  readonly #sources = new Map<string, Source>();
  readonly #reconcile: Reconcile;

  constructor(options: Partial<Pick<ReleaseParts, "publishers" | "requiresServiceAccount">> = {}) {
    this.#reconcile = createReconcile(
      releaseSteps({
        releases: this.#releases,
        dependents: this.dependents,
        cluster: this.cluster,
        stores: this.#releaseStores(),
        catalog: aKnowingCatalog(this.newDefinitions),
        sources: {
          ...{ ...idle, refresh: () => undefined },
          resolve: ({ key }) => this.#resolve(key),
        },
        renderer: {
          render: ({ key }) => {
            const source = this.#sources.get(key);
            if (source === undefined || "source" in source) return { state: "pending" };
            if (!("render" in source)) return { state: "ready", rendered: source.rendered };
            const { render } = source;
            return render === "pending" ? { state: "pending" } : { state: "failed", failure: render };
          },
          ...idle,
        },
        warmUp: () => undefined,
        predecessorMs: () => this.predecessorMs,
        secrets: {
          read: async () => await this.secrets.read(),
          forget: ({ namespace, name }) => void this.forgotten.push(`${namespace}/${name}`),
        },
        prepare: createPreparer(),
        checks: createHealthChecks(),
        publishers: options.publishers,
        memory: this.memory,
        platform: aPlatform(() => this.rules ?? { state: "known", limits: this.limits }),
        settled: new SettledObjects(),
        refusals: new Refusals(this.clock),
        lost: this.lost,
        events: { record: (_, event) => void this.events.push(event) },
        outages: new OutageNotices(),
        namespaceOf: () => undefined,
        requiresServiceAccount: options.requiresServiceAccount ?? false,
        progress: undefined,
        count: () => undefined,
        onBlocked: () => undefined,
        onNamespaceTerminating: () => undefined,
        wake: (keys) => void this.woken.push(...keys),
        wakeLater: () => undefined,
        clock: this.clock,
        random: () => 0.5,
      }),
      { clock: this.clock },
    );
  }

  reconcile(key = "shop/web"): Promise<ReconcileResult> {
    const onExplain = (explain: () => object): unknown => (this.explain = explain);
    return this.#reconcile(key, { signal: new AbortController().signal, log: this.log, onExplain });
  }

  /** Makes or edits a Release, as people do; what the operator wrote of it stays. */
  edit(release: ReleaseResource = aRelease()): void {
    const found = this.cluster.objects.get(idOf(release));
    const { metadata } = found ?? {};
    const status = found?.["status"];
    const { finalizers, annotations, labels } = metadata ?? {};
    const merged = {
      ...release.metadata,
      ...(finalizers && { finalizers }),
      ...((labels || release.metadata.labels) && { labels: { ...labels, ...release.metadata.labels } }),
      annotations: { ...annotations, ...release.metadata.annotations },
    };
    const next = { ...release, metadata: merged, ...(status !== undefined && { status }) } as LiveObject;
    this.dependents.learn(next);
    this.deliver(this.cluster.put(next));
  }

  /** What the source of a Release has from now on. */
  commit(
    digit: string,
    manifests: readonly Manifest[],
    { key = "shop/web", tree = `tree-${digit}`, warnings = [] as readonly string[] } = {},
  ): void {
    this.#sources.set(key, { digit, rendered: { ...asRendered(manifests), warnings }, tree });
  }

  /** The same folder under another commit: somebody changed another one. */
  moveHead(digit: string, key = "shop/web"): void {
    const source = this.#sources.get(key);
    if (source && "rendered" in source) this.#sources.set(key, { ...source, digit });
  }

  fail(source: Source, key = "shop/web"): void {
    this.#sources.set(key, source);
  }

  /** From now on the source cannot be had; what it gave last stays known. */
  lose(stale: SourceFailure, key = "shop/web"): void {
    this.#sources.set(key, { ...(this.#sources.get(key) as Source & { digit: string }), stale } as Source);
  }

  release(key = "shop/web"): ReleaseResource {
    return this.#releases.get(key) as ReleaseResource;
  }

  /** A condition of the status that was written, as `True Applied`. */
  condition(type: string, key = "shop/web"): string | undefined {
    const conditions = this.release(key).status?.conditions as readonly Condition[] | undefined;
    const found = conditions?.find((condition) => condition.type === type);
    return found && `${found.status} ${found.reason}`;
  }

  /** What the watch says of an object of the server. */
  deliver(object: LiveObject): void {
    this.#storeOf(object).apply({ type: "MODIFIED", object });
  }

  /** The server has an object no more, and the watch says so. */
  vanish(object: LiveObject): void {
    this.cluster.objects.delete(idOf(object));
    this.#storeOf(object).apply({ type: "DELETED", object });
  }

  live(kind: string, name: string): LiveObject | undefined {
    return [...this.cluster.objects.values()].find(
      (object) => object.kind === kind && object.metadata.name === name,
    );
  }

  /** Requests since the last call. */
  takeRequests(): readonly string[] {
    return this.cluster.requests.splice(0);
  }

  #resolve(key: string): SourceState {
    const source = this.#sources.get(key);
    if (source === undefined) return { state: "pending" };
    if ("source" in source) return { state: "failed", failure: source.source };
    const { tree, stale } = "rendered" in source ? source : {};
    const revision = aRevision(source.digit, tree);
    return { state: "ready", handledRequest: undefined, revision, ...(stale && { stale }) };
  }

  #releaseStores(): FoundStores {
    const { unsynced, refused } = this;
    const watch = (kind: ObjectKind) => ({
      store: this.#storeFor(kind),
      get hasSynced() {
        return !unsynced.has(kind.plural);
      },
      get refusal() {
        return refused.get(kind.plural);
      },
    });
    return {
      watch,
      owned: (set, recorded) =>
        [...this.#stores.values()].flatMap(({ kind, store }): OwnedObject[] => {
          const found = unsynced.has(kind.plural) ? [] : store.byIndex("set", set);
          return found.map((live) => ({ id: idOf(live), kind, live })).filter(({ id }) => recorded.has(id));
        }),
      sees: () => true,
      get watched() {
        return [];
      },
      isTerminating: () => false,
    };
  }

  #storeOf(object: LiveObject): WatchedStore {
    if (object.kind === Release.kind) return this.#releases;
    const kind = aCatalog().find(object.apiVersion, object.kind);
    if (kind === undefined) throw new Error(`no kind ${object.kind}`);
    return this.#storeFor(kind);
  }

  #storeFor(kind: ObjectKind): WatchedStore {
    const make = () => ({
      kind,
      store: new WatchedStore({ kind, indexes: { set: ({ metadata }) => metadata.labels?.[stamps.set] } }),
    });
    return this.#stores.getOrInsertComputed(groupKindOf(kind), make).store;
  }
}
