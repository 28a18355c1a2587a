import { ConfigMap, CronJob, Deployment, Job, Service } from "../../crds/core-kinds.ts";
import { EasyService } from "../../crds/easy-service.ts";
import { Echo } from "../../crds/echo.ts";
import type { ObjectKind } from "../../crds/object.ts";
import { PodSet } from "../../crds/pod-set.ts";
import { ScheduledEcho } from "../../crds/scheduled-echo.ts";
import { sharedGroup, stampIn } from "../../test/cluster/stamp-kind.ts";
import type { EditedKind } from "./schedule.ts";

/** The user's intent for one resource. */
export interface Wanted {
  readonly kind: EditedKind;
  readonly name: string;
  readonly version: number;
  readonly size: number;
}

/** A child that must exist, and its expected content. It is defined here separately from the charts. */
export interface WantedChild {
  readonly kind: ObjectKind;
  readonly name: string;
  /** Expected fields of the child, both of the live object and of the file. */
  readonly patterns: readonly RegExp[];
}

const { definition: Stamp } = stampIn(sharedGroup);

export const kindOf: Readonly<Record<EditedKind, ObjectKind>> = {
  Echo,
  ScheduledEcho,
  EasyService,
  PodSet,
  Stamp,
};

export const childKinds: readonly ObjectKind[] = [Job, CronJob, Deployment, Service, ConfigMap];

export function specOf({ kind, version, size }: Wanted): object {
  switch (kind) {
    case "Echo":
      return { message: `v${version}` };
    case "ScheduledEcho":
      return { message: `v${version}`, schedule: "0 0 1 1 *" };
    case "EasyService":
      return { size: 1, image: `nginx:v${version}`, ports: size === 0 ? [] : [{ port: 80, targetPort: 80 }] };
    case "PodSet":
      return { size };
    case "Stamp":
      return { text: `v${version}`, copies: size };
  }
}

export function childrenOf(wanted: Wanted): readonly WantedChild[] {
  const { kind, name, version, size } = wanted;
  const text = new RegExp(`\\bv${version}\\b`);
  switch (kind) {
    case "Echo":
      return [{ kind: Job, name, patterns: [text] }];
    case "ScheduledEcho":
      return [{ kind: CronJob, name, patterns: [text] }];
    case "EasyService": {
      const deployment = {
        kind: Deployment,
        name,
        patterns: [new RegExp(`nginx:v${version}\\b`), replicas(1)],
      };
      return size === 0 ? [deployment] : [deployment, { kind: Service, name, patterns: [/\b80\b/] }];
    }
    case "PodSet":
      return [{ kind: Deployment, name, patterns: [replicas(size)] }];
    case "Stamp":
      return Array.from({ length: size }, (_, copy) => ({
        kind: ConfigMap,
        name: `${name}-${copy}`,
        patterns: [text],
      }));
  }
}

/** Path of a child's file on the branch. */
export function fileOf(namespace: string, wanted: Wanted, child: WantedChild): string {
  return `${folderOf(namespace, wanted)}/${child.kind.kind.toLowerCase()}-${child.name}.yaml`;
}

export function folderOf(namespace: string, { kind, name }: Wanted): string {
  const { plural, group } = kindOf[kind];
  return `${namespace}/${plural}.${group}/${name}`;
}

/** Matches a number of replicas in JSON and in YAML. */
function replicas(count: number): RegExp {
  return new RegExp(`"?\\breplicas"?: ?${count}\\b`);
}
