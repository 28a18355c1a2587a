import { keyOf } from "../../../crds/object.ts";
import type { FoundStores } from "../../cluster/found-kinds/ports.ts";
import { countsAsHealthy, type Health } from "../../engine/health/health.ts";
import { timestampOf } from "../../engine/status.ts";
import { availableSince, type HealthTurn, latestOf, type SeenHealth, turnAfter } from "./health-times.ts";
import type { LoadedRelease } from "./load-release.ts";
import type { Desired } from "./release-memory.ts";
import type { ReleaseOutcome } from "./release-outcome.ts";

export interface HealthNote {
  readonly outcome: ReleaseOutcome;
  /** The desired state whose objects were assessed. */
  readonly judged: Desired | undefined;
  readonly health: Health | undefined;
  /** Wall clock, milliseconds since 1970. */
  readonly nowMs: number;
}

export interface NotedHealth {
  /** Undefined: the objects were not assessed. */
  readonly seen: SeenHealth | undefined;
  /** The memory for the next run. */
  readonly turn: HealthTurn | undefined;
}

/** Records the health of the objects in this run, and since when they are healthy. */
export function noteHealth(
  { resource, memory }: Pick<LoadedRelease, "resource" | "memory">,
  { outcome, judged, health, nowMs }: HealthNote,
  { stores }: { readonly stores: FoundStores },
): NotedHealth {
  // The objects of a suspended Release are not watched.
  if (outcome.state === "suspended") return { seen: undefined, turn: undefined };
  if (judged === undefined || health === undefined) return { seen: undefined, turn: memory.turn };
  const isHealthy = countsAsHealthy(health);
  const objects = judged.prepared.objects.flatMap(
    ({ kind, manifest }) => (kind && stores.watch(kind).store.get(keyOf(manifest))) ?? [],
  );
  const isRecorded = resource.status?.deployed?.healthySince !== undefined;
  const nowIso = timestampOf(new Date(nowMs));
  const turn = turnAfter(memory.turn, { isHealthy, isRecorded, objects, nowIso });
  const turnedAt = isHealthy ? latestOf([turn.turnedAt, ...objects.map(availableSince)]) : undefined;
  return { seen: { digest: judged.prepared.digest, isHealthy, turnedAt }, turn };
}
