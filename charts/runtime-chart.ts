import { ApiObject, Chart } from "cdk8s";
import type { Construct } from "constructs";
import { childLabels } from "../constructs/child-labels.ts";
import { containerPortsOf, lastOfEachName, servicePortsOf } from "../constructs/ports-and-envs.ts";
import type { ChartProps } from "../crds/binding.ts";
import type { KindContext } from "../crds/kind-context.ts";
import { containerName, dnsSubdomain, serviceName } from "../crds/names.ts";
import {
  Runtime,
  type RuntimeRecord,
  type RuntimeResource,
  type RuntimeSpec,
  runtimeAnnotations,
} from "../crds/runtime.ts";
import { isOver } from "./runtime-lifetime.ts";

/** A Runtime's Deployment, and the Service and the volume of its spec. */
export class RuntimeChart extends Chart {
  constructor(
    scope: Construct,
    id: string,
    { resource, record, clock }: ChartProps<RuntimeResource, KindContext<RuntimeRecord>>,
  ) {
    const labels = childLabels(Runtime, resource);
    super(scope, id, { labels });
    const { spec, metadata } = resource;
    const { template, storage } = spec;
    const name = dnsSubdomain(metadata.name);
    const { restartedAt } = record;
    const annotations = restartedAt !== undefined && {
      annotations: { [runtimeAnnotations.restartedAt]: restartedAt },
    };
    const volume = { name: "data", persistentVolumeClaim: { claimName: name } };
    new ApiObject(this, "deployment", {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name },
      spec: {
        replicas: isOver(spec, { record, clock }) ? 0 : 1,
        selector: { matchLabels: labels },
        // Two pods must not use one volume, and the pod of an earlier start must not count as ready.
        strategy: { type: "Recreate" },
        template: {
          metadata: { labels, ...annotations },
          spec: {
            containers: [containerOf(containerName(metadata.name), spec)],
            ...(storage && { volumes: [volume] }),
          },
        },
      },
    });
    if (storage !== undefined) addClaim(this, name, storage);
    const { ports = [] } = template;
    if (ports.length === 0) return;
    new ApiObject(this, "service", {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: serviceName(metadata.name) },
      spec: { ports: servicePortsOf(ports), selector: labels },
    });
  }
}

function containerOf(name: string, { template, storage }: RuntimeSpec): object {
  const { image, command, args, env = [], ports = [], resources = {} } = template;
  return {
    name,
    image,
    ...(command && { command }),
    ...(args && { args }),
    ...(env.length > 0 && { env: lastOfEachName(env) }),
    ...(ports.length > 0 && { ports: containerPortsOf(ports) }),
    ...(Object.keys(resources).length > 0 && { resources }),
    ...(storage && { volumeMounts: [{ name: "data", mountPath: storage.mountPath }] }),
  };
}

function addClaim(scope: Construct, name: string, storage: NonNullable<RuntimeSpec["storage"]>): void {
  const { size, storageClassName } = storage;
  new ApiObject(scope, "claim", {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name },
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: size } },
      ...(storageClassName !== undefined && { storageClassName }),
    },
  });
}
