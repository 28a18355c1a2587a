import { EasyService } from "../../crds/easy-service.ts";
import { Echo } from "../../crds/echo.ts";
import { Memcached } from "../../crds/memcached.ts";
import type { ObjectKind } from "../../crds/object.ts";
import { PodSet } from "../../crds/pod-set.ts";
import { ScheduledEcho } from "../../crds/scheduled-echo.ts";

export interface EditedResource {
  readonly kind: ObjectKind;
  readonly name: string;
  readonly spec: Readonly<Record<string, unknown>>;
}

/** One resource of every kind. No two children have the same name and kind. */
export const someResources = (): readonly EditedResource[] => [
  { kind: Echo, name: "echo", spec: { message: "hi" } },
  { kind: ScheduledEcho, name: "tick", spec: { message: "hi", schedule: "0 0 1 1 *" } },
  { kind: Memcached, name: "cache", spec: { size: 1 } },
  { kind: PodSet, name: "set", spec: { size: 1 } },
  {
    kind: EasyService,
    name: "web",
    spec: {
      size: 1,
      image: "example.dev/web:1",
      envs: [{ name: "A", value: "1" }],
      resources: { requests: { cpu: "10m" } },
      ports: [{ port: 80, targetPort: 8080, nodePort: 30_100 + Math.floor(Math.random() * 900) }],
    },
  },
];
/** The objects of the charts, as in kubectl. */
export const children = [
  "job/echo",
  "cronjob/tick",
  "deployment/cache-deployment",
  "deployment/set",
  "deployment/web",
  "service/web",
];

const pod = (fields: object) => ({
  spec: { template: { spec: { containers: [{ name: "web", ...fields }] } } },
});

/** A manual edit of fields that the operator sets; `strategic` patches merge lists by their keys. */
export const manualEdits: readonly {
  readonly what: string;
  readonly child: string;
  readonly patch: object;
}[] = [
  { what: "the replicas", child: "deployment/web", patch: { spec: { replicas: 3 } } },
  { what: "the image", child: "deployment/web", patch: pod({ image: "example.dev/evil:1" }) },
  {
    what: "an environment variable",
    child: "deployment/web",
    patch: pod({ env: [{ name: "A", value: "2" }] }),
  },
  { what: "a quantity", child: "deployment/web", patch: pod({ resources: { requests: { cpu: "20m" } } }) },
  {
    what: "a container port",
    child: "deployment/web",
    patch: pod({ ports: [{ containerPort: 8080, $patch: "delete" }] }),
  },
  {
    what: "a label of the pods",
    child: "deployment/web",
    patch: { spec: { template: { metadata: { labels: { "app.kubernetes.io/instance": "other" } } } } },
  },
  {
    what: "a label",
    child: "deployment/web",
    patch: { metadata: { labels: { "app.kubernetes.io/name": null } } },
  },
  {
    what: "the label of its set",
    child: "service/web",
    patch: { metadata: { labels: { "fairlead.dev/set": null } } },
  },
  {
    what: "the digest",
    child: "service/web",
    patch: { metadata: { annotations: { "fairlead.dev/digest": "0" } } },
  },
  { what: "its owner", child: "service/web", patch: { metadata: { ownerReferences: null } } },
  {
    what: "the selector of a Service",
    child: "service/web",
    patch: { spec: { selector: { app: "other" } } },
  },
  { what: "the type of a Service", child: "service/web", patch: { spec: { type: "ClusterIP" } } },
  {
    what: "the target of a port",
    child: "service/web",
    patch: { spec: { ports: [{ port: 80, targetPort: 1 }] } },
  },
  { what: "a schedule", child: "cronjob/tick", patch: { spec: { schedule: "@hourly" } } },
  {
    what: "the concurrency of a CronJob",
    child: "cronjob/tick",
    patch: { spec: { concurrencyPolicy: "Allow" } },
  },
  {
    what: "the command in a CronJob",
    child: "cronjob/tick",
    patch: {
      spec: {
        jobTemplate: { spec: { template: { spec: { containers: [{ name: "tick", command: ["rm"] }] } } } },
      },
    },
  },
  {
    what: "a label of a Job",
    child: "job/echo",
    patch: { metadata: { labels: { "app.kubernetes.io/instance": "x" } } },
  },
  {
    what: "a probe",
    child: "deployment/cache-deployment",
    patch: {
      spec: {
        template: { spec: { containers: [{ name: "memcached", livenessProbe: { periodSeconds: 99 } }] } },
      },
    },
  },
  {
    what: "a command",
    child: "deployment/set",
    patch: { spec: { template: { spec: { containers: [{ name: "podset", command: ["true"] }] } } } },
  },
];
