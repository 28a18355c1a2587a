import { join } from "node:path";
import type { CommitSpan } from "../../../crds/kind-source.ts";
import { namespaceIn } from "../../../crds/object.ts";
import { SourceError } from "../../errors.ts";
import type { Clock, Logger, Random } from "../../ports.ts";
import type { ConfineGit } from "../git-command.ts";
import { CloneQuota } from "./clone-quota.ts";
import { PollPermits } from "./poll-permits.ts";
import type { RefreshedSource, SourceFiles, SourceRequest, SourceState, Sources } from "./ports.ts";
import type { SourceStats } from "./repository-options.ts";
import { SourceRepository } from "./source-repository.ts";
import { readSourceWish, type SourceWish } from "./source-wish.ts";
import type { FoundAuthors } from "./span-authors.ts";
import { isSameQuestion, tenantOf } from "./tenant.ts";
import { defaultLimits, type SourceLimits } from "./tree-files.ts";

export interface CreateSourcesOptions {
  /** Where clones are kept; everything below it can be deleted while nothing runs. */
  readonly cacheDirectory: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** The operator's environment. Git gets PATH and the proxies from it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether repositories on this machine may be used. */
  readonly allowFile: boolean;
  /** Called when the answers for these resources have changed. */
  readonly onChange: (keys: readonly string[]) => void;
  /** As for {@link GitProcesses}. */
  readonly timeoutMs?: number | undefined;
  readonly limits?: Partial<SourceLimits>;
  /** Isolation of git processes. Default: none. */
  readonly confine?: ConfineGit | undefined;
  /** Why no repository may be polled: the kernel lacks required isolation of git. Default: all may be polled. */
  readonly refusal?: string | undefined;
  /** Size of the folder of all clones, in bytes. If set, namespaces share it. */
  readonly cacheBytes?: number;
}

export interface GitSources extends Sources {
  /** Counters since the start, for metrics. */
  readonly stats: Readonly<SourceStats>;
}

/** Sources in this process, whose clones can be read. */
export interface LocalSources extends GitSources {
  /** Reads the files of a tree in the clone with this id; undefined: there is no such clone. */
  filesOf(repositoryId: string, tree: string): SourceFiles | undefined;
  /** The authors of a span of that clone; undefined: there is no such clone. */
  authorsOf(repositoryId: string, span: CommitSpan): Promise<FoundAuthors> | undefined;
}

/** A clone that was unused for this time is deleted. */
const UNUSED_MS = 600_000;

interface Client {
  readonly tenant: string;
  readonly repository: SourceRepository;
  readonly wish: SourceWish;
  /** The last request, to skip reading the same one again. */
  readonly request: SourceRequest;
}

/** Sources of resources: one clone and one schedule per remote and credentials. Nothing runs before the first request. */
export function createSources(options: CreateSourcesOptions): LocalSources {
  return new ClonedSources(options);
}

class ClonedSources implements LocalSources {
  readonly #options: CreateSourcesOptions;
  readonly #clients = new Map<string, Client>();
  readonly #repositories = new Map<string, SourceRepository>();
  /** Clones that are being closed: a new request for one of them waits for it. */
  readonly #removals = new Map<string, () => void>();
  readonly #polls = new PollPermits();
  readonly #quota: CloneQuota | undefined;
  readonly stats: SourceStats = { polls: 0, fetches: 0, rebuilds: 0, notified: 0 };

  constructor(options: CreateSourcesOptions) {
    this.#options = options;
    const { cacheBytes } = options;
    this.#quota = cacheBytes === undefined ? undefined : new CloneQuota({ cacheBytes });
  }

  resolve(request: SourceRequest): SourceState {
    const { key, signers, intervalMs, requestedAt } = request;
    const { refusal } = this.#options;
    if (refusal !== undefined)
      return { state: "failed", failure: { reason: "SourceUnreachable", message: refusal } };
    try {
      const client = this.#clientOf(request);
      return client.repository.want(key, { wish: client.wish, signers, intervalMs, requestedAt });
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      this.forget(key);
      return { state: "failed", failure: error.failure };
    }
  }

  forget(key: string): void {
    const client = this.#clients.get(key);
    if (client === undefined) return;
    this.#clients.delete(key);
    this.#leave(key, client);
  }

  refresh(of: RefreshedSource): void {
    if ("key" in of) this.#clients.get(of.key)?.repository.refresh();
    else
      for (const repository of this.#repositories.values())
        if (repository.url === of.url) repository.refresh(of.pushed);
  }

  filesOf(repositoryId: string, tree: string): SourceFiles | undefined {
    return this.#repositories.get(repositoryId)?.contents.filesOf(tree);
  }

  authorsOf(repositoryId: string, span: CommitSpan): Promise<FoundAuthors> | undefined {
    return this.#repositories.get(repositoryId)?.contents.authorsOf(span);
  }

  async close(): Promise<void> {
    for (const cancel of this.#removals.values()) cancel();
    await Promise.all([...this.#repositories.values()].map((repository) => repository.close()));
  }

  #clientOf(request: SourceRequest): Client {
    const known = this.#clients.get(request.key);
    if (known !== undefined && isSameQuestion(known.request, request)) return known;
    const wish = readSourceWish(request, this.#options);
    const tenant = tenantOf(wish.remote.url, request.credentials, request.repositoryBytes);
    const client = { tenant, repository: this.#repositoryOf(tenant, wish, request), wish, request };
    if (known?.repository !== client.repository) this.#quota?.join(tenant, namespaceIn(request.key));
    if (known !== undefined && known.repository !== client.repository) this.#leave(request.key, known);
    this.#clients.set(request.key, client);
    return client;
  }

  #repositoryOf(
    tenant: string,
    { remote }: SourceWish,
    { credentials, repositoryBytes }: SourceRequest,
  ): SourceRepository {
    const known = this.#repositories.get(tenant);
    if (known !== undefined) return known;
    const { cacheDirectory, limits } = this.#options;
    const quota = this.#quota;
    const all = { ...defaultLimits, ...(quota && { cloneBytes: quota.cloneBytes }), ...limits };
    const repository = new SourceRepository({
      ...this.#options,
      remote,
      tenant,
      secret: credentials,
      base: join(cacheDirectory, tenant.slice(0, 16)),
      limits: { ...all, cloneBytes: Math.min(all.cloneBytes, repositoryBytes ?? all.cloneBytes) },
      disk: quota && { room: () => quota.roomOf(tenant), note: (bytes) => quota.note(tenant, bytes) },
      polls: this.#polls,
      stats: this.stats,
    });
    this.#repositories.set(tenant, repository);
    return repository;
  }

  /** A clone is kept for a while, because a resource that is suspended or edited often returns to it. */
  #leave(key: string, { tenant, repository }: Client): void {
    repository.drop(key);
    this.#quota?.leave(tenant, namespaceIn(key));
    if (!repository.isUnused) return;
    this.#removals.get(tenant)?.();
    const cancel = this.#options.clock.schedule(UNUSED_MS, () => {
      this.#removals.delete(tenant);
      if (!repository.isUnused) return;
      this.#repositories.delete(tenant);
      this.#quota?.forget(tenant);
      void repository.close({ remove: true });
    });
    this.#removals.set(tenant, cancel);
  }
}
