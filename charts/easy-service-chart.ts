import { ApiObject, Chart } from "cdk8s";
import type { Construct } from "constructs";
import { AppDeployment } from "../constructs/app-deployment.ts";
import { childLabels } from "../constructs/child-labels.ts";
import { containerPortsOf, lastOfEachName, servicePortsOf } from "../constructs/ports-and-envs.ts";
import type { ChartProps } from "../crds/binding.ts";
import { Deployment } from "../crds/core-kinds.ts";
import { EasyService, type EasyServiceResource } from "../crds/easy-service.ts";
import { containerName, dnsSubdomain, labelValue, serviceName } from "../crds/names.ts";

/** An EasyService's Deployment, and the Service in front of it if there are ports. */
export class EasyServiceChart extends Chart {
  constructor(scope: Construct, id: string, { resource, observed }: ChartProps<EasyServiceResource>) {
    const labels = childLabels(EasyService, resource);
    super(scope, id, { labels });
    const { size, image, resources = {}, envs = [], ports = [] } = resource.spec;
    const deploymentName = dnsSubdomain(resource.metadata.name);
    const selector = { app: labelValue(resource.metadata.name) };
    new AppDeployment(this, "deployment", {
      name: deploymentName,
      replicas: size,
      labels: selector,
      selector,
      podLabels: labels,
      container: {
        name: containerName(resource.metadata.name),
        image,
        imagePullPolicy: "IfNotPresent",
        ...(Object.keys(resources).length > 0 && { resources }),
        ...(envs.length > 0 && { env: lastOfEachName(envs) }),
        ...(ports.length > 0 && { ports: containerPortsOf(ports) }),
      },
      live: observed.find(Deployment, deploymentName),
    });
    if (ports.length === 0) return;
    // Without clusterIP and other fields that the API server chooses: they stay as they are.
    new ApiObject(this, "service", {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: serviceName(resource.metadata.name), labels: selector },
      spec: { type: "NodePort", ports: servicePortsOf(ports), selector },
    });
  }
}

/** Reports environment variables that are set more than once: the last one is used. */
export function warnAboutEasyService({ spec }: EasyServiceResource): readonly string[] {
  const envs = Map.groupBy(spec?.envs ?? [], ({ name }) => name);
  return [...envs]
    .filter(([, entries]) => entries.length > 1)
    .map(([name, entries]) => `spec.envs sets "${name}" ${entries.length} times: the last one is used`);
}
