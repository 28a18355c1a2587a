import { EasyService } from "../../crds/easy-service.ts";
import { Echo } from "../../crds/echo.ts";
import type { KindDefinition } from "../../crds/kind.ts";
import { Memcached } from "../../crds/memcached.ts";
import { PodSet } from "../../crds/pod-set.ts";
import { ScheduledEcho } from "../../crds/scheduled-echo.ts";

export interface Original {
  readonly kind: KindDefinition;
  readonly spec: object;
  /** Objects of the original operator for a resource called `web`, without namespace and owner. */
  readonly children: readonly {
    readonly apiVersion: string;
    readonly kind: string;
    readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
    readonly spec: object;
  }[];
}

const echoTemplate = {
  metadata: { generateName: "web-" },
  spec: {
    restartPolicy: "Never",
    containers: [
      { name: "web", image: "busybox:1.33.1", imagePullPolicy: "IfNotPresent", command: ["echo", "hi"] },
    ],
  },
};

const workload = (labels: Readonly<Record<string, string>>, replicas: number, container: object) => ({
  replicas,
  selector: { matchLabels: labels },
  template: { metadata: { labels }, spec: { containers: [container] } },
});

const podSetLabels = { app: "podSet", podSet_cr: "web" };

/** The objects of the original operators in reference/operators.md. */
export const originals: readonly Original[] = [
  {
    kind: Echo,
    spec: { message: "hi" },
    children: [
      { apiVersion: "batch/v1", kind: "Job", metadata: { name: "web" }, spec: { template: echoTemplate } },
    ],
  },
  {
    kind: ScheduledEcho,
    spec: { message: "hi", schedule: "0 0 1 1 *" },
    children: [
      {
        apiVersion: "batch/v1",
        kind: "CronJob",
        metadata: { name: "web" },
        spec: {
          schedule: "0 0 1 1 *",
          concurrencyPolicy: "Forbid",
          jobTemplate: { metadata: { generateName: "web-" }, spec: { template: echoTemplate } },
        },
      },
    ],
  },
  {
    kind: Memcached,
    spec: { size: 2 },
    children: [
      {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "web-deployment" },
        spec: workload({ app: "memcached" }, 2, {
          name: "memcached",
          image: "memcached:1.6.6",
          ports: [{ name: "memcached", containerPort: 11_211 }],
          resources: { requests: { cpu: "100m", memory: "128Mi" } },
          livenessProbe: { tcpSocket: { port: 11_211 }, initialDelaySeconds: 30, periodSeconds: 10 },
        }),
      },
    ],
  },
  {
    kind: EasyService,
    spec: {
      size: 2,
      image: "nginx:1.7.9",
      envs: [{ name: "A", value: "1" }],
      ports: [{ port: 80, targetPort: 8080, nodePort: 31_002 }],
    },
    children: [
      {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "web" },
        spec: workload({ app: "web" }, 2, {
          name: "web",
          image: "nginx:1.7.9",
          imagePullPolicy: "IfNotPresent",
          env: [{ name: "A", value: "1" }],
          ports: [{ containerPort: 8080 }],
        }),
      },
      {
        apiVersion: "v1",
        kind: "Service",
        metadata: { name: "web" },
        spec: {
          type: "NodePort",
          selector: { app: "web" },
          ports: [{ port: 80, protocol: "TCP", targetPort: 8080, nodePort: 31_002 }],
        },
      },
    ],
  },
  {
    kind: PodSet,
    spec: { size: 2 },
    children: [
      {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "web", labels: podSetLabels },
        spec: workload(podSetLabels, 2, {
          name: "podset",
          image: "busybox",
          command: ["sleep", "3600"],
          ports: [{ name: "podset", containerPort: 1234 }],
        }),
      },
    ],
  },
];
