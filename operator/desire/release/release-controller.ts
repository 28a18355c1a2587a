import { keyOf, type LiveObject, type ObjectKind } from "../../../crds/object.ts";
import { Release, type ReleaseResource } from "../../../crds/release.ts";
import { ReleasePolicy } from "../../../crds/release-policy.ts";
import type { ComposedRepository } from "../../compose/compose-publisher.ts";
import { createController, type KindController } from "../../compose/controllers.ts";
import type { SharedParts } from "../../compose/shared-parts.ts";
import type { ShapeOf } from "../../engine/field-shape.ts";
import type { SourceZone } from "../../git/source/compose-source-zone.ts";
import type { Clock, Cluster, EventRecorder, Publisher, Reconcile } from "../../ports.ts";
import type { Election } from "../../runtime/election.ts";
import type { KindStores, WatchRole } from "../../runtime/kind-stores.ts";
import { withTimeout } from "../../runtime/with-timeout.ts";
import type { ComposedReleases } from "./compose-releases.ts";
import { Dependents } from "./dependents.ts";
import type { PolicyLimits } from "./policy-limits.ts";
import { releaseKind } from "./release-kind.ts";
import type { Sealer } from "./sealed-records.ts";

export interface ReleaseControllerInput {
  readonly shared: SharedParts;
  readonly stores: KindStores;
  readonly shapeOf: ShapeOf;
  readonly cluster: Cluster;
  readonly election: Election;
  readonly events: EventRecorder;
  readonly sourceZone: SourceZone;
  readonly platform: PolicyLimits;
  /** Seals the first records of Releases. */
  readonly recordKey: Sealer & { learn(signal: AbortSignal): Promise<void> };
  /** Undefined: Releases are not published. */
  readonly repository: (ComposedRepository & { readonly own: Publisher }) | undefined;
  /** Trailers for the commit of a Release, from resources that set fields in it. */
  readonly trailersOf: (release: ReleaseResource) => readonly string[];
  readonly traceReconcile?: (controller: string, reconcile: Reconcile) => Reconcile;
}

/**
 * Creates the controller of Releases. To save memory, git caches, renderers and watches are created when the first Release is
 * observed.
 */
export function createReleaseController(input: ReleaseControllerInput): KindController {
  const { shared, stores, election, platform, recordKey } = input;
  const { clock, config } = shared;
  const of = { ...shared, ...input, isLeading: () => election.isLeading, workers: config.workers };
  return createController(releaseKind, of, (parts) => {
    const { queue } = parts;
    const wake = (keys: Iterable<string>): void => {
      for (const key of keys) queue.add(key);
    };
    platform.onReleases(wake);
    const dependents = new Dependents();
    let ledSinceMs = clock.now();
    const first = Promise.withResolvers<void>();
    let composed: ComposedReleases | undefined;
    let composing: Promise<ComposedReleases> | undefined;
    const compose = (): Promise<ComposedReleases> => {
      composing ??= import("./compose-releases.ts").then(({ composeReleases }) => {
        composed = composeReleases({
          ...input,
          ...parts,
          dependents,
          wake,
          ledSinceMs: () => ledSinceMs,
        });
        return composed;
      });
      return composing;
    };
    const learn = (release: LiveObject): void => {
      const key = keyOf(release);
      // A cycle may have been resolved.
      wake(dependents.learn(release) ? dependents.behind(key) : dependents.of(key));
      composed?.warm(release);
      first.resolve();
    };
    stores.subscribe("resource", ({ kind }) => ({
      added: (release) => void (kind === Release && learn(release)),
      updated: (_, release) => void (kind === Release && learn(release)),
      deleted: () => undefined,
    }));
    return {
      reconcile: async (key, options) => (await compose()).reconcile(key, options),
      onGone: (release) => {
        const key = keyOf(release);
        wake(dependents.of(key));
        dependents.forget(key);
        composed?.forget(release);
      },
      decidesBy: ({ role, kind }) => role === "namespace" || decidesReleases(role, kind),
      onLead: async ({ sinceMs }, signal) => {
        ledSinceMs = sinceMs;
        // The API server may have refused the first write of the key, because this instance was not the leader.
        await recordKey.learn(signal);
        await untilWatching(composed, { clock, signal });
      },
      watch: async (signal) => {
        const aborted = new Promise<void>((resolve) => {
          signal.addEventListener("abort", () => resolve(), { once: true });
        });
        await Promise.race([first.promise, aborted]);
        if (signal.aborted) return;
        // If this fails, each reconcile fails as well and reports the error.
        const releases = await compose().catch(() => undefined);
        if (releases === undefined) return;
        // Watch recorded objects before any decision depends on them, on a standby as well.
        for (const release of stores.resources(Release).list()) releases.warm(release);
      },
      close: async (options) => {
        await (await composing?.catch(() => undefined))?.close(options);
      },
    };
  });
}

/** Whether Releases are reconciled only after all objects of a kind are listed, such as policies. */
function decidesReleases(role: WatchRole, kind: ObjectKind): boolean {
  return role === "resource" && (kind === Release || kind === ReleasePolicy);
}

/** Maximum wait for broken watches. After that, the last known state is used. */
const longestWaitMs = 30_000;

/** Waits until the watches of a new leader have recovered: those of a standby may have failed, so that its state is old. */
async function untilWatching(
  composed: ComposedReleases | undefined,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  if (composed === undefined) return;
  const wait = withTimeout((late) => composed.whenWatching(late), {
    clock,
    timeoutMs: longestWaitMs,
    signal,
  });
  await wait.catch(() => undefined);
}
