import { type LiveObject, namespaceIn } from "../../../crds/object.ts";
import type { ReleaseResource } from "../../../crds/release.ts";
import { type ApplyOutcome, listNames } from "../../engine/outcome.ts";
import type { SourceAnswers } from "../../git/source/ports.ts";
import type { ObjectStore } from "../../ports.ts";
import {
  allowsDependents,
  assessDependency,
  dependenciesOf,
  describeAbsent,
  describeCycle,
  describeHidden,
  findCycle,
} from "./depends-on.ts";
import type { LoadedRelease } from "./load-release.ts";
import type { Desired, ReleaseMemory, Remembered } from "./release-memory.ts";

export interface DependencyOptions {
  readonly releases: ObjectStore;
  /** Keys of the Releases on which one depends. */
  readonly dependents: { dependenciesOf(key: string): readonly string[] };
  /** Whether the current state of a Release's source is applied. */
  readonly isCurrent: (key: string) => boolean;
}

/** The state of a Release's dependencies, independent of its source. */
export interface Dependencies {
  /** Set if the Release is in a cycle of dependencies: no new revision is applied until one of them is edited. */
  readonly cycle: ApplyOutcome | undefined;
  /** A sentence for each dependency that does not exist or is not allowed. */
  readonly missing: readonly string[];
}

/** Checks the dependencies of a Release. */
export function readDependencies(
  { key, resource }: Pick<LoadedRelease, "key" | "resource">,
  options: Omit<DependencyOptions, "isCurrent">,
): Dependencies {
  const keys = dependenciesOf(resource);
  if (keys.length === 0) return { cycle: undefined, missing: [] };
  const { namespace } = resource.metadata;
  const { find, mayDepend } = viewOf(options);
  // A dependency that is not allowed is not read, so it cannot be part of a cycle.
  const cycle = findCycle(key, (other) =>
    options.dependents.dependenciesOf(other).filter((next) => mayDepend(namespaceIn(other), next)),
  );
  const missing = keys.flatMap((other) => {
    if (!mayDepend(namespace, other)) return describeHidden(other, namespace);
    return find(other) === undefined ? describeAbsent(other) : [];
  });
  if (cycle === undefined) return { cycle, missing };
  const message = describeCycle(cycle, { isHidden: (other) => !mayDepend(namespace, other) });
  return { cycle: { state: "refused", reason: "DependencyCycle", message }, missing };
}

/** Outcome of `dependsOn` before the source is fetched. Undefined: nothing to report. */
export function describeUnmet(
  { resource }: Pick<LoadedRelease, "resource">,
  { cycle, missing }: Dependencies,
): ApplyOutcome | undefined {
  const isNew = resource.status?.revision === undefined;
  if (cycle !== undefined || !isNew || missing.length === 0) return cycle;
  const message = `Waiting: ${listNames(missing)}`;
  return { state: "waiting", reason: "DependencyNotReady", message, isWatched: true };
}

/** Notice for a Release in a cycle, or with missing dependencies: its next revision will wait. */
export function describeNotice({ cycle, missing }: Dependencies): string | undefined {
  if (cycle?.state === "refused") return cycle.message;
  return missing.length === 0 ? undefined : `The next revision will wait: ${listNames(missing)}`;
}

/**
 * The dependencies for which a new state of a Release waits; undefined: none. Deployed objects are kept regardless of the
 * dependencies.
 */
export function findWait(
  { resource }: LoadedRelease,
  desired: Desired,
  { isCurrent, ...options }: DependencyOptions,
): ApplyOutcome | undefined {
  const keys = dependenciesOf(resource);
  if (keys.length === 0 || isDeployed(resource, desired)) return undefined;
  const { namespace } = resource.metadata;
  const { find, mayDepend } = viewOf(options);
  const reasons = keys.flatMap((other) =>
    mayDepend(namespace, other)
      ? (assessDependency(other, find(other), { isCurrent }) ?? [])
      : describeHidden(other, namespace),
  );
  if (reasons.length === 0) return undefined;
  const message = `Waiting: ${listNames(reasons)}`;
  return { state: "waiting", reason: "DependencyNotReady", message, isWatched: true };
}

/** The other Releases, as visible to Releases of a namespace. */
function viewOf({ releases }: Pick<DependencyOptions, "releases">) {
  const find = (other: string) => releases.get(other) as (ReleaseResource & LiveObject) | undefined;
  const mayDepend = (from: string | undefined, other: string): boolean => {
    const dependency = find(other);
    // Hide a missing Release of another namespace as well, so that its message does not differ.
    return namespaceIn(other) === from || (dependency !== undefined && allowsDependents(dependency, from));
  };
  return { find, mayDepend };
}

/** Whether a state is the deployed one. */
export function isDeployed({ status }: ReleaseResource, { commit, prepared }: Desired): boolean {
  const [last] = status?.history ?? [];
  return last?.digest === prepared.digest && last.revision === commit.id && status?.revision === commit.id;
}

/**
 * Whether the current memory of a Release may end the wait of a dependent: another state is applied, or its source is
 * unavailable, so that the deployed state counts. Pure.
 */
export function isNewsForDependents(before: Remembered | undefined, now: Remembered): boolean {
  const isNewlyLost = now.source.isLost && before?.source.isLost !== true;
  return isNewlyLost || before?.applied?.tree !== now.applied?.tree;
}

/** Whether the last known state of another Release's source is applied, from memory. */
export function isCurrentFor({ memory, sources, releases }: IsCurrentOptions): (key: string) => boolean {
  return (key) => {
    const { spec } = (releases.get(key) ?? {}) as { readonly spec?: { readonly suspend?: boolean } };
    if (spec?.suspend === true) return true;
    const { applied, source } = memory.find(key) ?? {};
    const answer = sources.known(key);
    if (answer?.state === "ready") return answer.revision.tree === applied?.tree;
    return source?.isLost === true;
  };
}

interface IsCurrentOptions {
  readonly memory: Pick<ReleaseMemory, "find">;
  readonly sources: SourceAnswers;
  readonly releases: ObjectStore;
}
