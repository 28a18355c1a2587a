import type { Condition } from "../../crds/conditions.ts";
import type { KubernetesObject } from "../../crds/object.ts";
import type { ReleaseHistoryEntry, ReleaseSpec, ReleaseStatus } from "../../crds/release.ts";

/** A Release as stored by the API server, with its defaults. */
export interface ReleaseObject extends KubernetesObject {
  readonly metadata: KubernetesObject["metadata"] & {
    readonly uid: string;
    readonly namespace: string;
    readonly generation: number;
  };
  readonly spec: ReleaseSpec;
  readonly status?: ReleaseStatus;
}

/** `shop/web`. */
export function labelOfRelease({ metadata }: ReleaseObject): string {
  return `${metadata.namespace}/${metadata.name}`;
}

export function conditionOf({ status }: ReleaseObject, type: string): Condition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

/** Deployed revisions, newest first. */
export function historyOf({ status }: ReleaseObject): readonly ReleaseHistoryEntry[] {
  return status?.history ?? [];
}

/** Abbreviated as in git. */
export function shortCommit(id: string): string {
  return id.slice(0, 10);
}
