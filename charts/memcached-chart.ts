import { Chart } from "cdk8s";
import type { Construct } from "constructs";
import { AppDeployment } from "../constructs/app-deployment.ts";
import { childLabels } from "../constructs/child-labels.ts";
import type { ChartProps } from "../crds/binding.ts";
import { Deployment } from "../crds/core-kinds.ts";
import { Memcached, type MemcachedResource } from "../crds/memcached.ts";
import { dnsSubdomain, labelValue, standardLabels } from "../crds/names.ts";

/** The label that the pods of all Memcacheds share. */
export const memcachedPods = { app: "memcached" } as const;

/** Suffix of the name of a Memcached's Deployment. */
export const memcachedDeploymentSuffix = "-deployment";

const port = 11_211;

/** A Memcached's Deployment. */
export class MemcachedChart extends Chart {
  constructor(scope: Construct, id: string, { resource, observed }: ChartProps<MemcachedResource>) {
    const labels = childLabels(Memcached, resource);
    super(scope, id, { labels });
    const name = dnsSubdomain(`${resource.metadata.name}${memcachedDeploymentSuffix}`);
    new AppDeployment(this, "deployment", {
      name,
      replicas: resource.spec.size,
      // Without the instance, two Memcacheds of one namespace would select each other's pods.
      selector: { ...memcachedPods, [standardLabels.instance]: labelValue(resource.metadata.name) },
      podLabels: labels,
      container: {
        name: "memcached",
        image: "memcached:1.6.6",
        ports: [{ name: "memcached", containerPort: port }],
        resources: { requests: { cpu: "100m", memory: "128Mi" } },
        livenessProbe: { tcpSocket: { port }, initialDelaySeconds: 30, periodSeconds: 10 },
      },
      live: observed.find(Deployment, name),
    });
  }
}
