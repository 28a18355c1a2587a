import { toMilliseconds } from "../../../crds/duration.ts";
import type { CustomResource } from "../../../crds/object.ts";
import { type ReleaseResource, releaseAnnotations } from "../../../crds/release.ts";
import type { KindCatalog, SecretReader } from "../../cluster/found-kinds/ports.ts";
import type { DesiredSet } from "../../engine/desired-set.ts";
import { longestRetryMs } from "../../engine/requeue.ts";
import { SourceError, type SourceFailure } from "../../errors.ts";
import type { SourceRequest, SourceRevision, SourceState, Sources } from "../../git/source/ports.ts";
import type { Clock } from "../../ports.ts";
import type { Rendered, Renderer } from "../../render/ports.ts";
import { allowedSigners } from "./allowed-signers.ts";
import { limitRender } from "./limit-render.ts";
import { smallestOf } from "./limits.ts";
import type { LoadedRelease } from "./load-release.ts";
import { pinOf } from "./pipeline-pin.ts";
import type { Preparer } from "./preparer.ts";
import { forgetRefused } from "./refused-credentials.ts";
import type { Desired, KnownSource } from "./release-memory.ts";
import type { SourceReport } from "./release-outcome.ts";

export interface SourceOptions {
  readonly sources: Sources;
  readonly renderer: Renderer;
  /** Called before a program is rendered, so that its libraries are loaded while its source is being fetched. */
  readonly warmUp: () => void;
  readonly secrets: SecretReader;
  readonly prepare: Preparer;
  readonly catalog: KindCatalog;
  readonly clock: Clock;
}

/** The state of a Release's source. */
export interface Sourced {
  readonly source: SourceState;
  /** Undefined: there is a `failure`, or the work is in progress. */
  readonly desired: Desired | undefined;
  readonly failure: SourceFailure | undefined;
  /** The memory about the source. */
  readonly known: KnownSource;
  /** There will be no event: check again after this many milliseconds. */
  readonly retryAfterMs?: number;
}

/**
 * Reads the current state of the source, rendered and prepared, from memory. Pending work requeues the key when it is done.
 * This function waits only for Secrets of the Release, and for the history of the files that a program has read.
 *
 * @throws ApiUnavailableError if a Secret cannot be read now.
 */
export async function readSource(release: LoadedRelease, options: SourceOptions): Promise<Sourced> {
  const current = await readCurrent(release, options);
  const { source: known } = release.memory;
  const { source, desired, failure, commit = known.commit, ...more } = current;
  // Dependents wait until it is known whether the source has a newer revision. If the source is unavailable, they use the
  // deployed one.
  const isLost = failure !== undefined && source.state !== "ready";
  const isSame = known.isLost === isLost && known.commit === commit;
  return { source, desired, failure, known: isSame ? known : { isLost, commit }, ...more };
}

/** `commit`: the commit that was found; undefined: no search was needed. */
type CurrentSource = Omit<Sourced, "known"> & { readonly commit?: KnownSource["commit"] };

async function readCurrent(release: LoadedRelease, options: SourceOptions): Promise<CurrentSource> {
  const { sources, renderer, warmUp } = options;
  const { key, resource } = release;
  const retryAfterMs = Math.min(toMilliseconds(resource.spec.interval), longestRetryMs);
  const { namespace = "" } = resource.metadata;
  let source: SourceState = { state: "pending" };
  try {
    source = sources.resolve(await requestOf(release, options));
    const { secretRef } = resource.spec.source;
    const isRefused = forgetRefused(source, { namespace, secretRef }, options.secrets);
    const again = isRefused ? { retryAfterMs } : {};
    if (source.state === "pending" && resource.spec.render.program !== undefined) warmUp();
    if (source.state === "failed") return { source, desired: undefined, failure: source.failure, ...again };
    if (source.state === "pending") return { source, desired: undefined, failure: undefined };
    const { revision } = source;
    const state = renderer.render({
      key,
      namespace,
      render: limitRender(resource.spec.render, release.limits),
      revision,
      programQuota: smallestOf(release.limits, ({ quotas }) => quotas?.programSecondsPerHour),
    });
    if (state.state === "failed" || state.state === "waiting")
      return { source, desired: undefined, failure: state.failure, ...again };
    if (state.state === "pending") return { source, desired: undefined, failure: undefined, ...again };
    const prepared = prepareAll(release, state.rendered, options);
    const commit = await commitOf(release, { revision, rendered: state.rendered, prepared });
    const { head, tree } = revision;
    return {
      source,
      desired: { commit: commit.value, head, tree, rendered: state.rendered, prepared },
      failure: undefined,
      commit,
      ...again,
    };
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    // Secrets are not watched, so poll for a missing one.
    const isSecret = error.reason === "SourceInvalid";
    return { source, desired: undefined, failure: error.failure, ...(isSecret && { retryAfterMs }) };
  }
}

/** Prepares the desired set with the known kinds. The catalog requeues the key when a missing kind appears. */
export function prepareAll(
  { key, resource }: Pick<LoadedRelease, "key" | "resource">,
  rendered: Rendered,
  { prepare, catalog }: Pick<SourceOptions, "prepare" | "catalog">,
): DesiredSet {
  const prepared = prepare(rendered, resource, catalog);
  const unknown = prepared.objects.filter(({ kind }) => kind === undefined);
  // Look up all of them, not only the first one: one discovery resolves all.
  const answers = unknown.map(({ manifest }) => catalog.ask(manifest.apiVersion, manifest.kind, key));
  return answers.some(({ state }) => state === "known") ? prepare(rendered, resource, catalog) : prepared;
}

/** The URL of a Release's source; undefined: its spec is invalid. Pure. */
export function remoteOf({ spec }: CustomResource): string | undefined {
  return (spec as Partial<ReleaseResource["spec"]>).source?.url;
}

/**
 * Composes the request for the source of a Release.
 *
 * @throws SourceError about a Secret. ApiUnavailableError if one cannot be read now.
 */
export async function requestOf(
  { key, resource, who: as, limits }: Pick<LoadedRelease, "key" | "resource" | "who" | "limits">,
  { secrets }: Pick<SourceOptions, "secrets">,
): Promise<SourceRequest> {
  const { source, interval } = resource.spec;
  const { namespace = "", annotations } = resource.metadata;
  const intervalMs = toMilliseconds(interval);
  const read = async (ref: { readonly name: string } | undefined) =>
    ref && (await secrets.read({ namespace, name: ref.name }, { as, maxAgeMs: intervalMs }));
  return {
    key,
    source,
    revision: pinOf(resource),
    intervalMs,
    credentials: await read(source.secretRef),
    signers: allowedSigners(limits) ?? (await read(source.verify?.secretRef)),
    requestedAt: annotations?.[releaseAnnotations.requestedAt],
    repositoryBytes: smallestOf(limits, ({ quotas }) => quotas?.repositoryBytes)?.value,
  };
}

/**
 * The commit of a Release's state. It stays the one in the status if only the history of the clone differs: a recreated clone
 * has only the head, and another commit id would cause a write for every Release.
 */
async function commitOf(
  { resource, memory: { source: known } }: LoadedRelease,
  {
    revision,
    rendered,
    prepared,
  }: Pick<Desired, "rendered" | "prepared"> & { readonly revision: SourceRevision },
): Promise<NonNullable<KnownSource["commit"]>> {
  const { readPaths } = rendered;
  const of = `${revision.tree} ${readPaths?.join("\0") ?? ""}`;
  if (known.commit?.of === of) return known.commit;
  const [last] = resource.status?.history ?? [];
  const isDeployed =
    last !== undefined && last.digest === prepared.digest && last.revision === resource.status?.revision;
  const value =
    known.commit === undefined && isDeployed
      ? { id: last.revision, author: last.author, subject: last.subject, committedAt: last.committedAt }
      : readPaths === undefined
        ? revision.changed
        : await revision.lastChangeOf(readPaths);
  return { of, value };
}

/** The state of a source, for conditions and status; undefined: unchanged. */
export function reportSource({ source, desired }: Sourced): SourceReport | undefined {
  if (source.state !== "ready") return undefined;
  const { revision, stale, handledRequest } = source;
  const { head, changed: touched, tree, isAssumed = false } = revision;
  const changed = desired?.commit ?? touched;
  return { head, changed, folder: { tree, touched, isAssumed }, stale, handledRequest };
}
