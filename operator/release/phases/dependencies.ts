import type { LiveObject } from "../../../crds/object.ts";
import type { ReleaseResource } from "../../../crds/release.ts";
import { type ApplyOutcome, listNames } from "../../core/outcome.ts";
import type { ObjectStore } from "../../ports.ts";
import {
  allowsDependents,
  assessDependency,
  dependenciesOf,
  describeCycle,
  describeHidden,
  findCycle,
} from "../core/depends-on.ts";
import type { LoadedRelease } from "./load-release.ts";
import type { Desired } from "./release-memory.ts";

export interface DependencyOptions {
  readonly releases: ObjectStore;
  /** Keys of the Releases that one depends on. */
  readonly dependents: { dependenciesOf(key: string): readonly string[] };
  /** Whether what a Release's source says now is what it has applied. */
  readonly isCurrent: (key: string) => boolean;
}

/**
 * What a new state of a Release waits for; undefined: for nothing. What is deployed already is kept as it is, however the
 * Releases are that it depended on.
 */
export function findWait(
  { key, resource }: LoadedRelease,
  desired: Desired,
  { releases, dependents, isCurrent }: DependencyOptions,
): ApplyOutcome | undefined {
  const keys = dependenciesOf(resource);
  if (keys.length === 0 || isDeployed(resource, desired)) return undefined;
  const { namespace } = resource.metadata;
  const find = (other: string) => releases.get(other) as (ReleaseResource & LiveObject) | undefined;
  const mayDepend = (from: string | undefined, other: string): boolean => {
    const dependency = find(other);
    // One that does not exist is hidden as well, unless it would be in the same namespace.
    return namespaceIn(other) === from || (dependency !== undefined && allowsDependents(dependency, from));
  };
  // A dependency that is not allowed is waited for without being looked at: it closes no cycle.
  const cycle = findCycle(key, (other) =>
    dependents.dependenciesOf(other).filter((next) => mayDepend(namespaceIn(other), next)),
  );
  if (cycle !== undefined) {
    const message = describeCycle(cycle, { isHidden: (other) => !mayDepend(namespace, other) });
    return { state: "refused", reason: "DependencyCycle", message };
  }
  const reasons = keys.flatMap((other) =>
    mayDepend(namespace, other)
      ? (assessDependency(other, find(other), { isCurrent }) ?? [])
      : describeHidden(other, namespace),
  );
  if (reasons.length === 0) return undefined;
  const message = `Waiting: ${listNames(reasons)}`;
  return { state: "waiting", reason: "DependencyNotReady", message, isWatched: true };
}

function namespaceIn(key: string): string {
  return key.slice(0, key.indexOf("/"));
}

function isDeployed({ status }: ReleaseResource, { commit, prepared }: Desired): boolean {
  const [last] = status?.history ?? [];
  return last?.digest === prepared.digest && last.revision === commit.id && status?.revision === commit.id;
}
