import type { DesiredSet } from "../../engine/desired-set.ts";
import { SourceError } from "../../errors.ts";
import type { SourceRevision } from "../../git/source/ports.ts";
import { limitRender } from "./limit-render.ts";
import { smallestOf } from "./limits.ts";
import type { LoadedRelease } from "./load-release.ts";
import { forgetRefused } from "./refused-credentials.ts";
import { prepareAll, requestOf, type SourceOptions } from "./source-release.ts";

/** The part of a Release that determines how a commit is rendered. */
export type PlannedRelease = Omit<LoadedRelease, "memory" | "undecided" | "invalid">;

/** The manifests of a commit that a Release does not run, or why there are none. */
export type NextSource =
  | { readonly state: "pending" }
  /** `isUnwatched`: there is no event when the cause of the failure ends. */
  | { readonly state: "failed"; readonly message: string; readonly isUnwatched?: boolean }
  | {
      readonly state: "ready";
      readonly prepared: DesiredSet;
      readonly revision: Pick<SourceRevision, "head" | "changed">;
    };

/** Suffix of the keys for the next commit of a Release, which separates its requests from those for the deployed commit. */
const suffix = "#next";

/** The key of the sources and renders for the next commit of a Release. Pure. */
export function nextKeyOf(key: string): string {
  return `${key}${suffix}`;
}

/** The key of a Release, from its key or from {@link nextKeyOf}. Pure. */
export function releaseKeyOf(key: string): string {
  return key.endsWith(suffix) ? key.slice(0, -suffix.length) : key;
}

/**
 * Renders and prepares a commit like {@link readSource} does for the deployed one: it returns immediately from memory, and
 * the key is requeued when a pending render is complete.
 *
 * @throws ApiUnavailableError if a Secret cannot be read now.
 */
export async function readNext(
  { key, resource, ...release }: PlannedRelease,
  revision: string,
  options: Omit<SourceOptions, "clock" | "warmUp">,
): Promise<NextSource> {
  const { sources, renderer, secrets } = options;
  const { namespace = "" } = resource.metadata;
  const at = { ...release, key: nextKeyOf(key), resource: pinnedTo(resource, revision) };
  try {
    const source = sources.resolve(await requestOf(at, options));
    if (source.state === "pending") return source;
    const { secretRef } = resource.spec.source;
    const isUnwatched = forgetRefused(source, { namespace, secretRef }, secrets);
    if (source.state === "failed") return { state: "failed", message: source.failure.message, isUnwatched };
    const state = renderer.render({
      key: at.key,
      namespace,
      render: limitRender(resource.spec.render, release.limits),
      revision: source.revision,
      programQuota: smallestOf(release.limits, ({ quotas }) => quotas?.programSecondsPerHour),
    });
    if (state.state === "pending") return state;
    if (state.state !== "ready") return { state: "failed", message: state.failure.message };
    return { state: "ready", prepared: prepareAll(at, state.rendered, options), revision: source.revision };
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    // There is no event when a Secret changes.
    return { state: "failed", message: error.message, isUnwatched: error.reason === "SourceInvalid" };
  }
}

/** The same Release with another pin. */
function pinnedTo(resource: LoadedRelease["resource"], revision: string): LoadedRelease["resource"] {
  return { ...resource, spec: { ...resource.spec, revision } };
}
