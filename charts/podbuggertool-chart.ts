import { ApiObject, Chart } from "cdk8s";
import type { Construct } from "constructs";
import {
  debugContainer,
  ephemeralContainersOf,
  hasEphemeralContainer,
} from "../constructs/debug-container.ts";
import type { ChartProps } from "../crds/binding.ts";
import { Pod } from "../crds/core-kinds.ts";
import type { PodbuggertoolResource } from "../crds/podbuggertool.ts";
import { isReady } from "./pods.ts";

/** Adds an ephemeral container to each selected pod. A Podbuggertool owns no objects. */
export class PodbuggertoolChart extends Chart {
  constructor(scope: Construct, id: string, { resource, observed }: ChartProps<PodbuggertoolResource>) {
    super(scope, id);
    const container = debugContainer(resource.spec.image);
    for (const pod of observed.list(Pod)) {
      // A pod that is not ready is skipped until an event reports that it is. A pod that has the container keeps it.
      if (!isReady(pod) && !hasEphemeralContainer(pod, container)) continue;
      // If a field manager omits an entry that it applied before, it requests its removal, which the API server rejects:
      // containers that this kind added with another image stay. Repeating the containers of others changes nothing.
      const others = ephemeralContainersOf(pod).filter(({ name }) => name !== container.name);
      new ApiObject(this, pod.metadata.name, {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: pod.metadata.name },
        spec: { ephemeralContainers: [...others, container] },
      });
    }
  }
}
