import type { KubernetesObject } from "../../../crds/object.ts";
import { unstampManifest } from "../../../synth/stamp.ts";
import { toYaml } from "../../../synth/yaml-text.ts";

/** Fields that the server writes, which no user sets. */
const serverFields = [
  "managedFields",
  "resourceVersion",
  "uid",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "selfLink",
] as const;
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/** An object for comparison: the fields that a user can set, without the operator's stamps. Pure. */
export function toComparable(object: KubernetesObject): KubernetesObject {
  const { status: _, ours: __, metadata, ...rest } = object;
  const kept = Object.fromEntries(
    Object.entries(metadata).filter(([field]) => !(serverFields as readonly string[]).includes(field)),
  ) as unknown as KubernetesObject["metadata"];
  const plain = unstampManifest({ ...rest, metadata: kept } as KubernetesObject);
  const { annotations, ...others } = plain.metadata;
  // kubectl's copy of the whole manifest, including values of a Secret.
  const { [lastApplied]: ___, ...shown } = annotations ?? {};
  return {
    ...plain,
    metadata: Object.keys(shown).length === 0 ? others : { ...others, annotations: shown },
  };
}

/** The same as text. Undefined: there is no object. Pure. */
export function textOf(object: KubernetesObject | undefined): string {
  return object === undefined ? "" : toYaml(object);
}
