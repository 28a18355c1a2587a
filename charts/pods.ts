import type { OwnCondition } from "../crds/binding.ts";
import { Pod } from "../crds/core-kinds.ts";
import type { KindDefinition } from "../crds/kind.ts";
import { MANAGED_BY, standardLabels } from "../crds/names.ts";
import { controllerOf, keyOf, type LiveObject } from "../crds/object.ts";
import type { Observed } from "../crds/observed.ts";

/** Label that the Deployment controller puts on a ReplicaSet and its pods; the ReplicaSet's name ends in it. */
const templateHash = "pod-template-hash";

/**
 * The resource behind a Deployment's pod: the pod's ReplicaSet is named after its Deployment, and that one after
 * the resource. Works for pods of any age, and for names that do not fit into a label.
 *
 * @param deploymentSuffix What the Deployment's name has after the resource's.
 */
export function podOwnerKey(pod: LiveObject, deploymentSuffix = ""): string | undefined {
  const controller = controllerOf(pod);
  const suffix = `${deploymentSuffix}-${pod.metadata.labels?.[templateHash] ?? ""}`;
  if (controller?.kind !== "ReplicaSet" || !controller.name.endsWith(suffix)) return undefined;
  return keyIn(pod, controller.name.slice(0, -suffix.length));
}

/** The resource that a pod without ReplicaSet names in a label. */
export function podOwnerKeyByInstance(pod: LiveObject, label?: string): string | undefined {
  const { labels = {} } = pod.metadata;
  if (label !== undefined) return keyIn(pod, labels[label]);
  return labels[standardLabels.managedBy] === MANAGED_BY
    ? keyIn(pod, labels[standardLabels.instance])
    : undefined;
}

function keyIn({ metadata: { namespace } }: LiveObject, name: string | undefined): string | undefined {
  if (name === undefined || name === "") return undefined;
  return keyOf({ metadata: { name, ...(namespace !== undefined && { namespace }) } });
}

/** Label selector of the pods that we make for all resources of a kind. */
export function podsMadeFor({ singular }: Pick<KindDefinition, "singular">): string {
  return `${standardLabels.managedBy}=${MANAGED_BY},${standardLabels.name}=${singular}`;
}

/**
 * Names of the pods that run or are about to: neither terminating, nor finished and replaced (evicted).
 * Sorted, as all lists of what was observed are.
 */
export function runningPodNames(observed: Observed): string[] {
  return observed
    .list(Pod)
    .filter(
      ({ metadata, ["status"]: status }) => metadata.deletionTimestamp === undefined && !isFinished(status),
    )
    .map(({ metadata }) => metadata.name);
}

/** Everything by which a resource of the pod's namespace may look for it: its labels, as {@link labelKey} has them. */
export function labelKeysOf({ metadata: { namespace = "", labels = {} } }: LiveObject): readonly string[] {
  return Object.entries(labels).map(([name, value]) => labelKey(namespace, `${name}=${value}`));
}

/** A label (`key=value`) of a pod of one namespace. */
export function labelKey(namespace: string, label: string): string {
  return `${namespace}/${label}`;
}

/** Whether a pod says that it is ready. */
export function isReady({ ["status"]: status }: LiveObject): boolean {
  const { conditions = [] } = (status ?? {}) as { readonly conditions?: readonly OwnCondition[] };
  return conditions.some((condition) => condition.type === "Ready" && condition.status === "True");
}

function isFinished(status: unknown): boolean {
  const { phase } = (status ?? {}) as { readonly phase?: string };
  return phase === "Failed" || phase === "Succeeded";
}
