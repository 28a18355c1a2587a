import { Job, Pod } from "../../crds/core-kinds.ts";
import type { AdminApi, SeenObject } from "./api.ts";

/**
 * Changes the metadata of every Job that has no pod and no result. Call it only when the Job controller's expectations have expired
 * (client-go's `ExpectationsTimeout`, 5 minutes): if a Job was replaced before the controller observed a pod of the former Job, the
 * controller still expects that pod, and creates none until the time has expired and the Job changes.
 */
export async function touchJobs(api: AdminApi, namespace: string): Promise<void> {
  const owners = new Set(
    (await api.list(Pod, namespace)).flatMap(({ metadata }) =>
      (metadata.ownerReferences ?? []).map(({ uid }) => uid),
    ),
  );
  const annotations = { "faults.example.dev/touched": new Date().toISOString() };
  for (const job of await api.list(Job, namespace)) {
    if (owners.has(job.metadata.uid) || hasResult(job)) continue;
    await api.patch(Job, namespace, job.metadata.name, { metadata: { annotations } });
  }
}

function hasResult(job: SeenObject): boolean {
  const { conditions = [] } = (job["status"] ?? {}) as { readonly conditions?: readonly object[] };
  return conditions.length > 0;
}
