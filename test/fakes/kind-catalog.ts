import type { LiveObject } from "../../crds/object.ts";
import { KubeKindCatalog } from "../../operator/cluster/found-kinds/kind-catalog.ts";
import { FakeDiscovery, type ServedGroups } from "./discovery.ts";
import { FakeClock } from "./fake-clock.ts";
import { aLiveObject } from "./objects.ts";
import { RecordingLogger } from "./recording-logger.ts";

const deployments = { plural: "deployments", kind: "Deployment" };
export const secrets = { plural: "secrets", kind: "Secret" };
export const widgets = { plural: "widgets", kind: "Widget" };
/** Secrets, and Deployments in apps/v1. */
export const served: ServedGroups = {
  "": [{ version: "v1", kinds: [secrets] }],
  apps: [{ version: "v1", kinds: [deployments] }],
};

/** A catalog with an API server in memory; `take` returns the keys that were requeued since the last call. */
export function aCatalog(groups: ServedGroups = served) {
  const clock = new FakeClock();
  const server = new FakeDiscovery(groups);
  const log = new RecordingLogger();
  const woken: string[] = [];
  const catalog = new KubeKindCatalog({
    transport: server,
    clock,
    random: () => 0,
    log,
    wake: (keys) => void woken.push(...keys),
  });
  const take = () => woken.splice(0).toSorted();
  return { catalog, clock, server, log, take };
}

/** The CustomResourceDefinition of Widgets. */
export function aDefinition(established = "True"): LiveObject {
  const fields = {
    spec: {
      group: "example.dev",
      names: { kind: "Widget", plural: "widgets" },
      scope: "Namespaced",
      versions: [{ name: "v1", served: true }],
    },
    status: { conditions: [{ type: "Established", status: established }] },
  };
  return aLiveObject({ name: "widgets.example.dev", namespace: null, fields });
}
