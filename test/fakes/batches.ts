import type { LiveObject } from "../../crds/object.ts";
import type { ReconcileBench } from "./reconcile-bench.ts";

export const aBatch = (runs: number, more: object = {}) => ({ spec: { image: "busybox", runs, ...more } });

export const isJob = ({ kind }: Pick<LiveObject, "kind">): boolean => kind === "Job";

/** The condition of the Job of a run that completed in the second of the run's number. */
export const completed = (run: number) => ({
  type: "Complete",
  status: "True",
  lastTransitionTime: `2026-01-01T00:00:0${run}Z`,
});

/** Completes the Job of a run of the batch `web`, if it was created. */
export function finishRun(bench: ReconcileBench, run: number): void {
  const job = [...bench.cluster.objects.values()].find(
    (object) => isJob(object) && object.metadata.name === `web-${run}`,
  );
  if (job === undefined) return;
  bench.deliver(bench.cluster.put({ ...job, status: { conditions: [completed(run)] } }));
}
