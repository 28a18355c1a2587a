import type { Condition } from "../../crds/conditions.ts";
import type { KubernetesObject } from "../../crds/object.ts";
import type { Tenant } from "./tenant.ts";
import type { TenantsFixture } from "./tenants-fixture.ts";

interface SeenRelease extends KubernetesObject {
  readonly status?: {
    readonly revision?: string;
    readonly conditions?: readonly Condition[];
    readonly inventory?: { readonly entries?: readonly string[] };
  };
}

/** Reads the Releases and ConfigMaps of a tenant as an administrator. */
export async function readAll(
  { kubectl }: TenantsFixture,
  { namespace }: Tenant,
): Promise<readonly SeenRelease[]> {
  const text = await kubectl([
    "get",
    "releases.fairlead.dev,configmaps,secrets",
    "-n",
    namespace,
    "-o",
    "json",
  ]);
  return (JSON.parse(text) as { readonly items: readonly SeenRelease[] }).items;
}

/** Whether a Release is Ready at a commit for its current spec. */
export function isReadyAt({ metadata, status }: SeenRelease, commit: string): boolean {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  const { generation } = metadata as { readonly generation?: number };
  return ready?.status === "True" && ready.observedGeneration === generation && status?.revision === commit;
}

/** The state that must not change while a tenant does nothing: the version of every object. */
export function snapshotOf(objects: readonly KubernetesObject[]): readonly string[] {
  return objects.map(({ kind, metadata }) => {
    const { uid, resourceVersion } = metadata as { readonly uid?: string; readonly resourceVersion?: string };
    return `${kind}/${metadata.name} ${uid} ${resourceVersion}`;
  });
}

/** Reasons of `Ready` and `Published` that are not true, of all Releases among the objects. */
export function reasonsOf(objects: readonly SeenRelease[]): readonly string[] {
  const conditions = objects.flatMap(({ status }) => status?.conditions ?? []);
  return conditions
    .filter(({ type, status }) => (type === "Ready" || type === "Published") && status === "False")
    .map(({ reason }) => reason);
}
