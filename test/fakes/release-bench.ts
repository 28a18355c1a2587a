import { keyOf, type LiveObject, type ObjectKind } from "../../crds/object.ts";
import { Release, type ReleaseResource } from "../../crds/release.ts";
import type { FoundStores } from "../../operator/cluster/found-kinds/ports.ts";
import { Dependents } from "../../operator/desire/release/dependents.ts";
import type { Limits, SelectedRules } from "../../operator/desire/release/limits.ts";
import { NextPlans } from "../../operator/desire/release/next-plans.ts";
import { releaseKeyOf } from "../../operator/desire/release/next-source.ts";
import { PendingReleases } from "../../operator/desire/release/pending-releases.ts";
import { createPreparer } from "../../operator/desire/release/preparer.ts";
import { createRecordedStore } from "../../operator/desire/release/recorded-store.ts";
import { ReleaseMemory } from "../../operator/desire/release/release-memory.ts";
import { type ReleaseParts, releaseSteps } from "../../operator/desire/release/release-steps.ts";
import { SealedRecords, type Sealer } from "../../operator/desire/release/sealed-records.ts";
import type { OwnedObject } from "../../operator/engine/desired-set.ts";
import { createHealthChecks } from "../../operator/engine/health/health-checks.ts";
import type { SourceFailure } from "../../operator/errors.ts";
import type { SourceRequest, SourceState } from "../../operator/git/source/ports.ts";
import type { Reconcile } from "../../operator/ports.ts";
import { createReconcile } from "../../operator/reconcile.ts";
import type { Rendered, RenderRequest, RenderState } from "../../operator/render/ports.ts";
import { idOf, type Manifest } from "../../synth/manifest.ts";
import { setOf } from "../../synth/stamp.ts";
import { Bench } from "./bench.ts";
import { aLoadedCatalog } from "./loaded-catalog.ts";
import { noSealer } from "./records.ts";
import { aCatalog, aCommit, aPlatform, aRelease, aRevision, asRendered } from "./releases.ts";

/** The content of a commit, or why it is unavailable. */
type Source =
  | { readonly digit: string; readonly rendered: Rendered; readonly tree?: string; stale?: SourceFailure }
  | { readonly source: SourceFailure }
  | { readonly digit: string; readonly render: SourceFailure | "pending" };

interface CommitOptions {
  readonly key?: string;
  readonly tree?: string;
  readonly warnings?: readonly string[];
  /** Indexes of the manifests that a manifest needs. */
  readonly needs?: Readonly<Record<number, readonly number[]>>;
}

interface ReleaseBenchOptions extends Partial<Pick<ReleaseParts, "publishers" | "requiresServiceAccount">> {
  /** Seals first records. Default: there is no key, so the status contains them. */
  readonly sealer?: Sealer;
}

const idle = { forget: () => undefined, close: async () => undefined };

/** The bench of Releases: their sources, which a test sets, define the desired objects. */
export class ReleaseBench extends Bench<ReleaseResource> {
  /** Keys that were requeued. */
  readonly woken: string[] = [];
  /** Kinds whose first list is not complete, by plural. */
  readonly unsynced = new Set<string>();
  readonly refused = new Map<string, string>();
  /** Kinds whose CRDs have changed recently. */
  readonly newDefinitions = new Set<string>();
  /** The result of reading a Secret. */
  readonly secrets: { read: () => Promise<ReadonlyMap<string, string>> } = { read: async () => new Map() };
  predecessorMs = 0;
  /** The platform's policies. */
  limits: Limits = [];
  rules: SelectedRules | undefined;
  /** Releases that were forgotten because they do not exist. */
  readonly gone: string[] = [];
  /** Secrets that were removed from the cache. */
  readonly forgotten: string[] = [];
  readonly dependents = new Dependents();
  readonly pending = new PendingReleases();
  readonly memory = new ReleaseMemory();
  /** The last request of each Release to its source. */
  readonly requests = new Map<string, SourceRequest>();
  readonly #sources = new Map<string, Source>();
  /** Contents by commit id. */
  readonly #offered = new Map<string, Source>();
  protected readonly key = "shop/web";
  protected readonly definition = Release;
  protected readonly run: Reconcile;

  constructor(options: ReleaseBenchOptions = {}) {
    super();
    const records = new SealedRecords(options.sealer ?? noSealer);
    const store = this.storeOf(Release, { set: (object) => setOf(Release, object) });
    const shared = {
      ...this.shared(),
      log: this.log,
      releases: createRecordedStore(store, records),
      records,
      stores: this.#foundStores(),
      catalog: aLoadedCatalog(this.newDefinitions),
      sources: {
        ...idle,
        refresh: () => undefined,
        resolve: (request: SourceRequest) => {
          this.requests.set(request.key, request);
          return this.#resolve(request.key);
        },
        known: (key: string) => (this.requests.has(key) ? this.#resolve(key) : undefined),
        forget: (key: string) => void this.requests.delete(key),
      },
      renderer: { ...idle, render: ({ key, revision }: RenderRequest) => this.#render(key, revision.tree) },
      secrets: {
        read: async () => await this.secrets.read(),
        forget: ({ namespace, name }: { readonly namespace: string; readonly name: string }) =>
          void this.forgotten.push(`${namespace}/${name}`),
      },
      namespaceOf: () => undefined,
      wake: (keys: Iterable<string>) => void this.woken.push(...keys),
    };
    const nextPlans = new NextPlans(shared);
    this.run = createReconcile(
      releaseSteps({
        ...shared,
        nextPlans,
        pending: this.pending,
        dependents: this.dependents,
        warmUp: () => undefined,
        predecessorMs: () => this.predecessorMs,
        prepare: createPreparer(),
        checks: createHealthChecks(),
        publishers: options.publishers,
        memory: this.memory,
        platform: aPlatform(() => this.rules ?? { state: "known", limits: this.limits }),
        requiresServiceAccount: options.requiresServiceAccount ?? false,
        forget: (key) => {
          this.gone.push(key);
          for (const one of [nextPlans, this.memory, shared.sources, this.pending]) one.forget(key);
        },
      }),
      { clock: this.clock, memory: this.memory },
    );
  }

  /** Creates or changes a Release like a user. Labels, annotations and finalizers of the operator stay. */
  override edit(release: ReleaseResource = aRelease()): void {
    const { finalizers, annotations, labels } = this.cluster.objects.get(idOf(release))?.metadata ?? {};
    const metadata = {
      ...release.metadata,
      ...(finalizers && { finalizers }),
      ...((labels || release.metadata.labels) && { labels: { ...labels, ...release.metadata.labels } }),
      annotations: { ...annotations, ...release.metadata.annotations },
    };
    super.edit({ ...release, metadata });
    this.dependents.learn(this.release(keyOf(release)));
  }

  /** Sets the content of the source of a Release. */
  commit(
    digit: string,
    manifests: readonly Manifest[],
    { key = "shop/web", tree = `tree-${digit}`, warnings = [], needs = {} }: CommitOptions = {},
  ): void {
    this.#sources.set(key, { digit, rendered: { ...asRendered(manifests, needs), warnings }, tree });
  }

  /** Adds a commit that changes another folder. */
  moveHead(digit: string, key = "shop/web"): void {
    const source = this.#sources.get(key);
    if (source && "rendered" in source) this.#sources.set(key, { ...source, digit });
  }

  fail(source: Source, key = "shop/web"): void {
    this.#sources.set(key, source);
  }

  /** Makes the source unavailable. Its last state stays known. */
  lose(stale: SourceFailure, key = "shop/web"): void {
    this.#sources.set(key, { ...(this.#sources.get(key) as Source & { digit: string }), stale } as Source);
  }

  release(key = this.key): ReleaseResource {
    return this.resourceAt(key);
  }

  /** A commit of the repository, in addition to the heads of the sources. */
  offer(
    digit: string,
    source: readonly Manifest[] | SourceFailure | "pending",
    { tree = `tree-${digit}` } = {},
  ): void {
    const isManifests = Array.isArray(source);
    const failed = { digit, render: source as SourceFailure | "pending" };
    this.#offered.set(
      aCommit(digit).id,
      isManifests ? { digit, rendered: asRendered(source), tree } : failed,
    );
  }

  #resolve(key: string): SourceState {
    const pin = this.requests.get(key)?.revision;
    const source = this.#offered.get(pin ?? "") ?? this.#sources.get(releaseKeyOf(key));
    if (source === undefined) return { state: "pending" };
    if ("source" in source) return { state: "failed", failure: source.source };
    const { tree, stale } = "rendered" in source ? source : {};
    const revision = aRevision(source.digit, tree);
    return { state: "ready", handledRequest: undefined, revision, ...(stale && { stale }) };
  }

  #render(key: string, tree: string): RenderState {
    const offered = this.#offered.get(aCommit(tree.replace("tree-", "")).id);
    const source = offered ?? this.#sources.get(releaseKeyOf(key));
    if (source === undefined || "source" in source) return { state: "pending" };
    if (!("render" in source)) return { state: "ready", rendered: source.rendered };
    const { render } = source;
    return render === "pending" ? { state: "pending" } : { state: "failed", failure: render };
  }

  #foundStores(): FoundStores {
    const { unsynced, refused } = this;
    const watch = (kind: ObjectKind) => ({
      store: this.storeOf(kind),
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
        this.objectStores().flatMap(({ kind, store }): OwnedObject[] => {
          const found = unsynced.has(kind.plural) ? [] : store.byIndex("set", set);
          return found.map((live) => ({ id: idOf(live), kind, live })).filter(({ id }) => recorded.has(id));
        }),
      sees: () => true,
      get watched() {
        return [];
      },
      isTerminating: (namespace) => this.terminating.has(namespace),
    };
  }

  protected kindOf(object: LiveObject): ObjectKind {
    if (object.kind === Release.kind) return Release;
    const kind = aCatalog().find(object.apiVersion, object.kind);
    if (kind === undefined) throw new Error(`no kind ${object.kind}`);
    return kind;
  }
}
