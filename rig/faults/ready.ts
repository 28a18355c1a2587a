import type { SeenResource } from "../../test/cluster/harness.ts";

/** The reason why a resource is not Ready in its current generation. Undefined: it is Ready. */
export function whyNotReady(resource: SeenResource | undefined): string | undefined {
  const ready = resource?.status?.conditions?.find(({ type }) => type === "Ready");
  const isReady = ready?.status === "True" && ready.observedGeneration === resource?.metadata.generation;
  return isReady ? undefined : `${ready?.reason}: ${ready?.message}`;
}
