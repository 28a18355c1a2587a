import { runtime } from "../../charts/bindings.ts";
import { Deployment } from "../../crds/core-kinds.ts";
import type { KindClock } from "../../crds/kind-context.ts";
import type { CustomResource, LiveObject } from "../../crds/object.ts";
import { aLiveObject } from "./objects.ts";
import { aResource, type ResourceOptions } from "./resources.ts";

/** Seconds after the first instant of 2026. */
export const at = (seconds: number): string =>
  `${new Date(Date.parse("2026-01-01T00:00:00Z") + seconds * 1_000).toISOString().slice(0, 19)}Z`;

/** A clock on which this many seconds of 2026 have passed. */
export const clockAt = (seconds: number): KindClock => ({
  reached: (instant) => new Date(instant).getTime() <= Date.parse(at(seconds)),
});

/** The spec of a Runtime of 60 s. */
export const aSpec = (more: object = {}) => ({
  template: { image: "busybox" },
  ttlSeconds: 60,
  warnBeforeSeconds: 0,
  ...more,
});

export const aRuntime = (spec: object = {}, options: ResourceOptions = {}): CustomResource => {
  const resource = aResource(runtime, { spec: aSpec(spec), ...options });
  return { ...resource, metadata: { ...resource.metadata, creationTimestamp: at(0) } };
};

export interface PodState {
  /** The start in the pod template. */
  readonly start?: string;
  readonly since?: string;
  readonly replicas?: number;
  readonly generation?: number;
  readonly observedGeneration?: number;
  readonly updated?: number;
  readonly available?: number;
}

/** The Deployment of a Runtime, whose pod is available since the tenth second. */
export function aDeployment(state: PodState = {}, live?: LiveObject): LiveObject {
  const { start, since = at(10), replicas = 1, generation = 1, observedGeneration = generation } = state;
  const { updated = replicas, available = replicas } = state;
  const annotations = start !== undefined && { annotations: { "fairlead.dev/restarted-at": start } };
  const made = aLiveObject({
    kind: Deployment,
    name: "web",
    generation,
    fields: { spec: { replicas, template: { metadata: { ...annotations } } } },
  });
  const condition = {
    type: "Available",
    status: available > 0 ? "True" : "False",
    lastTransitionTime: since,
  };
  const status = {
    observedGeneration,
    replicas: updated,
    updatedReplicas: updated,
    availableReplicas: available,
    conditions: [condition],
  };
  return { ...(live ?? made), status };
}
