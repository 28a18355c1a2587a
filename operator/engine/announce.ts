import type { BoundKind } from "../../crds/binding.ts";
import { type CustomResource, keyOf, type LiveObject } from "../../crds/object.ts";
import type { EngineStatus } from "../../crds/status.ts";
import type { EventRecorder, Logger } from "../ports.ts";
import type { Change } from "./note-result.ts";
import type { OutageNotices } from "./outage-notices.ts";
import { listNames } from "./outcome.ts";
import { announceTransitions } from "./transitions.ts";

export interface AnnounceOptions {
  readonly kind: Pick<BoundKind, "warnings" | "warnOn">;
  readonly events: EventRecorder;
  readonly outages: OutageNotices;
  /** URL of a resource's source. Default: it has none. */
  readonly remoteOf?: ((resource: CustomResource) => string | undefined) | undefined;
  /** Where in the repository a resource is published. Default: all resources of the kind have the same place. */
  readonly placeOf?: ((resource: CustomResource) => string) | undefined;
  readonly log: Logger;
}

/** Reports changes of existing objects: adopted, extended, reduced, replaced, restored, pruned. Not creations and edits. */
export function announceChanges(
  changes: readonly Change[],
  { resource }: { readonly resource: CustomResource },
  { events, log }: Pick<AnnounceOptions, "events" | "log">,
): void {
  const pruned = changes.filter(({ done }) => done === "Pruned");
  for (const alike of Map.groupBy(pruned, ({ why }) => why).values())
    announcePruned(alike, resource, { events, log });
  for (const change of changes.filter(({ done }) => done !== "Pruned")) {
    const { done, live, why } = change;
    if (done === "FieldsKept") {
      announceKept(change, resource, { events, log });
      continue;
    }
    const note = `${done} ${live.kind} ${keyOf(live)}: ${why}`;
    log.info("Adopted, extended, replaced or restored an object", {
      done,
      object: `${live.kind} ${keyOf(live)}`,
      why,
    });
    events.record(resource, { type: "Normal", reason: done, action: "Apply", note });
  }
}

/** Reports fields in objects of other owners that the API server refuses to remove. */
function announceKept(
  { live, why }: Change,
  resource: LiveObject,
  { events, log }: Pick<AnnounceOptions, "events" | "log">,
): void {
  const object = `${live.kind} ${keyOf(live)}`;
  log.warn("Fields that were set in an object are not removed", { object, why });
  const note = `The fields that were set in ${object} are not removed: ${why}`;
  events.record(resource, { type: "Warning", reason: "FieldsKept", action: "Apply", note });
}

/** One event for all objects that were pruned in a run for the same reason: there may be hundreds. */
function announcePruned(
  pruned: readonly Change[],
  resource: LiveObject,
  { events, log }: Pick<AnnounceOptions, "events" | "log">,
): void {
  const [first] = pruned;
  if (first === undefined) return;
  const names = listNames(pruned.map(({ live }) => `${live.kind} ${keyOf(live)}`).sort());
  const note = `Pruned ${names}: ${first.why}`;
  log.info("Pruned objects", { objects: pruned.length, names, why: first.why });
  events.record(resource, { type: "Normal", reason: "Pruned", action: "Prune", note, isRoutine: true });
}

/** Reports conditions that became false, recovered or are delayed. Reports ignored parts of the spec once for each edit. */
export function announceStatus(
  { status, cause }: { readonly status: EngineStatus; readonly cause: string | undefined },
  { resource }: { readonly resource: CustomResource },
  { kind, events, outages, remoteOf, placeOf = () => "", log }: AnnounceOptions,
): void {
  const before = resource.status as EngineStatus | undefined;
  const { warnOn } = kind;
  for (const transition of announceTransitions(before?.conditions ?? [], status.conditions ?? [], {
    cause,
    warnOn,
  })) {
    const { ended: _, ...event } = transition;
    const location = event.action === "Source" ? remoteOf?.(resource) : placeOf(resource);
    if (!outages.isNew(transition, location)) continue;
    const fields = { reason: event.reason, note: event.note };
    if (event.type === "Warning") log.warn("Resource not ready", fields);
    else log.info("Resource recovered", fields);
    events.record(resource, event);
  }
  if (before?.observedGeneration === status.observedGeneration) return;
  for (const note of kind.warnings(resource)) {
    events.record(resource, { type: "Warning", reason: "SpecIgnored", action: "Synthesize", note });
  }
}
