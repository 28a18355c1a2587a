import type { KindClock } from "../../../crds/kind-context.ts";
import { type CustomResource, keyOf, type LiveObject } from "../../../crds/object.ts";
import type { EngineStatus } from "../../../crds/status.ts";
import { contextOf } from "../../../synth/record.ts";
import { declaredBy } from "../../engine/declared-by.ts";
import { SpecInvalidError } from "../../errors.ts";
import type { EventRecorder, Logger } from "../../ports.ts";
import { type ConvergedKind, type ConvergeKindOptions, convergeKind } from "./converge-kind.ts";
import { failedRun } from "./failed-run.ts";
import type { Loaded } from "./load.ts";

export interface RetireOptions extends ConvergeKindOptions {
  readonly kindClock: KindClock;
  readonly events: EventRecorder;
  readonly log: Logger;
  /** Removes the objects of a deleted resource, and our finalizer. Undefined: nothing blocks its deletion. */
  readonly finalize: (loaded: Loaded) => Promise<ConvergedKind | undefined>;
}

/**
 * Deletes a resource that its kind retires now, and converges any other. A resource that another tool applies would be
 * recreated, so it stays, and only its objects are deleted.
 *
 * @returns Undefined: it was deleted. The outcome of a failed deletion, such as `retry` for a resource that was changed
 * since it was observed: a user may have extended its lifetime.
 */
export async function retireOrConverge(
  loaded: Loaded,
  options: RetireOptions,
): Promise<ConvergedKind | undefined> {
  const why = loaded.refusal ?? decideRetirement(loaded, options);
  if (why === undefined) return await convergeKind(loaded, options);
  if (why instanceof SpecInvalidError) return await convergeKind({ ...loaded, refusal: why }, options);
  const { resource } = loaded;
  const owner = declaredBy(resource);
  if (owner === undefined) {
    try {
      const left = await deleteResource(resource, why, options);
      // No event follows: the watch recognizes our own deletion.
      return left && (await options.finalize({ ...loaded, resource: left as CustomResource }));
    } catch (error) {
      return failedRun(loaded, error);
    }
  }
  const expired = describeExpired(why, owner);
  if (!isExpired(resource)) announce(resource, expired, options);
  return await convergeKind({ ...loaded, expired }, options);
}

/** Why the resource must be deleted now; undefined: it stays. */
function decideRetirement(
  { resource, observed, sourced }: Loaded,
  { kind, kindClock }: Pick<RetireOptions, "kind" | "kindClock">,
): string | SpecInvalidError | undefined {
  try {
    return kind.retire?.({
      resource,
      observed,
      ...contextOf(kind, resource, { clock: kindClock, source: sourced?.state }),
    });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return new SpecInvalidError(message, { cause: error });
  }
}

/** @returns The resource, if finalizers keep it. */
async function deleteResource(
  resource: CustomResource,
  why: string,
  { kind, cluster, stores, events, log }: RetireOptions,
): Promise<LiveObject | undefined> {
  const { name, namespace, uid, resourceVersion, finalizers = [] } = resource.metadata;
  const ref = { kind: kind.definition, namespace, name };
  const left = await cluster.delete(ref, { uid, resourceVersion, propagation: "Background" });
  announce(resource, `Deleted: ${why}`, { events, log });
  const store = stores.resources(kind.definition);
  if (left !== undefined) store.written(left);
  else if (finalizers.length === 0) store.removed(keyOf(resource), uid);
  return left;
}

function announce(
  resource: CustomResource,
  note: string,
  { events, log }: Pick<RetireOptions, "events" | "log">,
): void {
  log.info("Resource expired", { note });
  events.record(resource, { type: "Normal", reason: "Expired", action: "Delete", note });
}

function isExpired({ status }: CustomResource): boolean {
  const { conditions = [] } = (status ?? {}) as EngineStatus;
  return conditions.some(({ type }) => type === "Expired");
}

function describeExpired(why: string, owner: string): string {
  return `${why}. It is declared by ${owner}, which would create it again: its objects are deleted, and it is kept. Remove it there`;
}
