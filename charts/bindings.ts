import type { Construct } from "constructs";
import { debugContainer, hasEphemeralContainer } from "../constructs/debug-container.ts";
import { type BoundKind, bindKind, type OwnCondition } from "../crds/binding.ts";
import { CronJob, Deployment, Job, PersistentVolumeClaim, Pod, Service } from "../crds/core-kinds.ts";
import { EasyService } from "../crds/easy-service.ts";
import { Echo } from "../crds/echo.ts";
import { Memcached } from "../crds/memcached.ts";
import { cronJobName, dnsSubdomain, jobName } from "../crds/names.ts";
import type { LiveObject, ObjectKind } from "../crds/object.ts";
import type { Observed } from "../crds/observed.ts";
import { PodSet } from "../crds/pod-set.ts";
import { Podbuggertool } from "../crds/podbuggertool.ts";
import { Runtime } from "../crds/runtime.ts";
import { ScheduledEcho } from "../crds/scheduled-echo.ts";
import { EasyServiceChart, warnAboutEasyService } from "./easy-service-chart.ts";
import { EchoChart } from "./echo-chart.ts";
import { MemcachedChart, memcachedDeploymentSuffix } from "./memcached-chart.ts";
import { PodSetChart, podSetPods } from "./pod-set-chart.ts";
import { PodbuggertoolChart } from "./podbuggertool-chart.ts";
import {
  labelKey,
  labelKeysOf,
  podOwnerKey,
  podOwnerKeyByInstance,
  podsMadeFor,
  runningPodNames,
} from "./pods.ts";
import { RuntimeChart } from "./runtime-chart.ts";
import {
  EXPIRING,
  foldRuntime,
  judgeRuntime,
  reportRuntime,
  retireRuntime,
  warnAboutRuntime,
} from "./runtime-lifetime.ts";
import { ScheduledEchoChart } from "./scheduled-echo-chart.ts";

export const echo: BoundKind<Construct> = bindKind({
  definition: Echo,
  chart: EchoChart,
  children: [Job],
  related: [
    {
      // Pods explain why a Job makes no progress. Those of the original operator have no labels, and have finished.
      kind: Pod,
      selector: podsMadeFor(Echo),
      ownerKey: (pod) => podOwnerKeyByInstance(pod),
    },
  ],
  status({ metadata }, observed) {
    const job = statusOf<JobStatus>(observed, Job, jobName(metadata.name));
    return pick(job, ["startTime", "completionTime"]);
  },
});

export const scheduledEcho: BoundKind<Construct> = bindKind({
  definition: ScheduledEcho,
  chart: ScheduledEchoChart,
  children: [CronJob],
  status({ metadata }, observed) {
    const cronJob = statusOf<CronJobStatus>(observed, CronJob, cronJobName(metadata.name));
    return {
      ...pick(cronJob, ["lastScheduleTime"]),
      active: (cronJob.active ?? []).map(({ name }) => name).toSorted(),
    };
  },
});

export const memcached: BoundKind<Construct> = bindKind({
  definition: Memcached,
  chart: MemcachedChart,
  children: [Deployment],
  related: [
    {
      kind: Pod,
      // Pods of the original operator have only this label.
      selector: "app=memcached",
      ownerKey: (pod) => podOwnerKey(pod, memcachedDeploymentSuffix) ?? podOwnerKeyByInstance(pod),
    },
  ],
  status: (_, observed) => ({ nodes: runningPodNames(observed) }),
});

export const podSet: BoundKind<Construct> = bindKind({
  definition: PodSet,
  chart: PodSetChart,
  children: [Deployment],
  related: [
    {
      kind: Pod,
      selector: `app=${podSetPods.app}`,
      ownerKey: (pod) => podOwnerKey(pod) ?? podOwnerKeyByInstance(pod, podSetPods.owner),
    },
  ],
  status: (_, observed) => ({ nodes: runningPodNames(observed) }),
});

export const easyService: BoundKind<Construct> = bindKind({
  definition: EasyService,
  chart: EasyServiceChart,
  children: [Deployment, Service],
  related: [
    {
      kind: Pod,
      selector: podsMadeFor(EasyService),
      ownerKey: (pod) => podOwnerKey(pod) ?? podOwnerKeyByInstance(pod),
    },
  ],
  status({ metadata }, observed) {
    const deployment = statusOf<DeploymentStatus>(observed, Deployment, dnsSubdomain(metadata.name));
    return {
      ...pick(deployment, [
        "replicas",
        "updatedReplicas",
        "readyReplicas",
        "availableReplicas",
        "unavailableReplicas",
        "collisionCount",
      ]),
      conditions: (deployment.conditions ?? []).map(ownCondition),
    };
  },
  warnings: warnAboutEasyService,
});

export const runtime: BoundKind<Construct> = bindKind({
  definition: Runtime,
  chart: RuntimeChart,
  children: [Deployment, Service, PersistentVolumeClaim],
  related: [
    {
      // Pods explain why a Deployment makes no progress.
      kind: Pod,
      selector: podsMadeFor(Runtime),
      ownerKey: (pod) => podOwnerKey(pod) ?? podOwnerKeyByInstance(pod),
    },
  ],
  record: { fields: ["countedFrom", "readyAt", "restartedAt", "restarts"], fold: foldRuntime },
  verdict: judgeRuntime,
  retire: retireRuntime,
  status: reportRuntime,
  warnings: warnAboutRuntime,
  warnOn: [EXPIRING],
});

export const podbuggertool: BoundKind<Construct> = bindKind({
  definition: Podbuggertool,
  chart: PodbuggertoolChart,
  children: [],
  related: [
    {
      // Any pod may get a label that a resource selects, so all pods are watched.
      kind: Pod,
      ownerKey: labelKeysOf,
      soughtKey: ({ metadata, spec }) => spec?.label && labelKey(metadata.namespace ?? "", spec.label),
      subresource: "ephemeralcontainers",
    },
  ],
  status: ({ spec }, observed) => ({
    installed: observed
      .list(Pod)
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .filter((pod) => hasEphemeralContainer(pod, debugContainer(spec.image))).length,
  }),
});

/** The shipped kinds. */
export const kinds: readonly BoundKind<Construct>[] = [
  echo,
  scheduledEcho,
  memcached,
  easyService,
  podSet,
  runtime,
  podbuggertool,
];

interface JobStatus {
  readonly startTime?: string;
  readonly completionTime?: string;
}

interface CronJobStatus {
  readonly lastScheduleTime?: string;
  readonly active?: readonly { readonly name: string }[];
}

interface DeploymentStatus {
  readonly replicas?: number;
  readonly updatedReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly unavailableReplicas?: number;
  readonly collisionCount?: number;
  readonly conditions?: readonly OwnCondition[];
}

/** The status of a child; empty until the child and its status exist. */
function statusOf<Status extends object>(
  observed: Observed,
  kind: ObjectKind,
  name: string,
): Partial<Status> {
  const live: LiveObject | undefined = observed.find(kind, name);
  return (live?.["status"] ?? {}) as Partial<Status>;
}

function pick<From extends object, Field extends keyof From>(
  from: From,
  fields: readonly Field[],
): { -readonly [Key in Field]: NonNullable<From[Key]> } {
  const entries = fields.filter((field) => from[field] !== undefined).map((field) => [field, from[field]]);
  return Object.fromEntries(entries);
}

/** A Deployment's condition without its times: copying update times would cause a status write for each update. */
function ownCondition({ type, status, reason = "", message = "" }: OwnCondition): OwnCondition {
  return { type, status, reason, message };
}
