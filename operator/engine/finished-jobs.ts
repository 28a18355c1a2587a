import type { LiveObject } from "../../crds/object.ts";
import { stamps } from "../../synth/manifest.ts";
import type { DesiredObject, DesiredSet } from "./desired-set.ts";

import { findCondition } from "./health/health-fields.ts";

// A Job with `ttlSecondsAfterFinished` is deleted automatically. If it were recreated, it would run again each time.

/** `id digest`: a Job and its content; undefined: it is not deleted automatically. */
export function nameOfRun({ id, manifest }: Pick<DesiredObject, "id" | "manifest">): string | undefined {
  if (manifest.kind !== "Job" || manifest.apiVersion !== "batch/v1") return undefined;
  const spec = manifest["spec"] as { readonly ttlSecondsAfterFinished?: unknown } | undefined;
  if (spec?.ttlSecondsAfterFinished === undefined) return undefined;
  return `${id} ${manifest.metadata.annotations?.[stamps.digest]}`;
}

export interface FinishedJobsInput {
  readonly prepared: Pick<DesiredSet, "objects">;
  readonly liveOf: (object: DesiredObject) => LiveObject | undefined;
  /** The finished Jobs in the status. */
  readonly before: readonly string[];
}

/** The desired Jobs with a time to live that have completed with their current manifest, deleted or not. Pure. */
export function findFinishedJobs({ prepared, liveOf, before }: FinishedJobsInput): readonly string[] {
  return prepared.objects.flatMap((object) => {
    const name = nameOfRun(object);
    if (name === undefined) return [];
    const live = liveOf(object);
    if (live === undefined) return before.includes(name) ? [name] : [];
    const isComplete = findCondition(live, "Complete")?.status === "True";
    const ran = live.metadata.annotations?.[stamps.digest];
    const isThis = ran === object.manifest.metadata.annotations?.[stamps.digest];
    return isComplete && isThis ? [name] : [];
  });
}
