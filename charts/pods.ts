import type { OwnCondition } from "../crds/binding.ts";
import { Pod } from "../crds/core-kinds.ts";
import type { KindDefinition } from "../crds/kind.ts";
import { MANAGED_BY, standardLabels } from "../crds/names.ts";
import { controllerOf, keyOf, type LiveObject } from "../crds/object.ts";
import type { Observed } from "../crds/observed.ts";

/** Label that the Deployment controller sets on a ReplicaSet and its pods; the ReplicaSet's name ends with it. */
const templateHash = "pod-template-hash";

/**
 * The resource to which a Deployment's pod belongs: the pod's ReplicaSet is named after its Deployment, which is named
 * after the resource. Works for pods of any age, and for names that do not fit into a label.
 *
 * @param deploymentSuffix Suffix that the Deployment's name adds to the resource's name.
 */
export function podOwnerKey(pod: LiveObject, deploymentSuffix = ""): string | undefined {
  const controller = controllerOf(pod);
  const suffix = `${deploymentSuffix}-${pod.metadata.labels?.[templateHash] ?? ""}`;
  if (controller?.kind !== "ReplicaSet" || !controller.name.endsWith(suffix)) return undefined;
  return keyIn(pod, controller.name.slice(0, -suffix.length));
}

/** The resource in a label of a pod without a ReplicaSet. */
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

/** Label selector of the pods that the operator creates for all resources of a kind. */
export function podsMadeFor({ singular }: Pick<KindDefinition, "singular">): string {
  return `${standardLabels.managedBy}=${MANAGED_BY},${standardLabels.name}=${singular}`;
}

/**
 * Names of the pods that run or will run: neither terminating, nor finished and replaced (evicted). Sorted, as all lists
 * of observed objects.
 */
export function runningPodNames(observed: Observed): string[] {
  return observed
    .list(Pod)
    .filter(
      ({ metadata, ["status"]: status }) => metadata.deletionTimestamp === undefined && !isFinished(status),
    )
    .map(({ metadata }) => metadata.name);
}

/** All keys by which a resource of the pod's namespace may seek it: its labels, in the form of {@link labelKey}. */
export function labelKeysOf({ metadata: { namespace = "", labels = {} } }: LiveObject): readonly string[] {
  return Object.entries(labels).map(([name, value]) => labelKey(namespace, `${name}=${value}`));
}

/** Key of a label (`key=value`) of the pods of one namespace. */
export function labelKey(namespace: string, label: string): string {
  return `${namespace}/${label}`;
}

/** Whether a pod is ready. */
export function isReady({ ["status"]: status }: LiveObject): boolean {
  const { conditions = [] } = (status ?? {}) as { readonly conditions?: readonly OwnCondition[] };
  return conditions.some((condition) => condition.type === "Ready" && condition.status === "True");
}

function isFinished(status: unknown): boolean {
  const { phase } = (status ?? {}) as { readonly phase?: string };
  return phase === "Failed" || phase === "Succeeded";
}
