import { Chart } from "cdk8s";
import type { Construct } from "constructs";
import { AppDeployment } from "../constructs/app-deployment.ts";
import { childLabels } from "../constructs/child-labels.ts";
import type { ChartProps } from "../crds/binding.ts";
import { Deployment } from "../crds/core-kinds.ts";
import { dnsSubdomain, labelValue } from "../crds/names.ts";
import { PodSet, type PodSetResource } from "../crds/pod-set.ts";

/** The labels that select a PodSet's pods; `podSet_cr` names it. */
export const podSetPods = { app: "podSet", owner: "podSet_cr" } as const;

/** A PodSet's Deployment. */
export class PodSetChart extends Chart {
  constructor(scope: Construct, id: string, { resource, observed }: ChartProps<PodSetResource>) {
    const labels = childLabels(PodSet, resource);
    super(scope, id, { labels });
    const name = dnsSubdomain(resource.metadata.name);
    const selector = { app: podSetPods.app, [podSetPods.owner]: labelValue(resource.metadata.name) };
    new AppDeployment(this, "deployment", {
      name,
      replicas: resource.spec.size,
      labels: selector,
      selector,
      podLabels: labels,
      container: {
        name: "podset",
        image: "busybox",
        command: ["sleep", "3600"],
        ports: [{ name: "podset", containerPort: 1234 }],
      },
      live: observed.find(Deployment, name),
    });
  }
}
