import { onTestFinished } from "vitest";
import type { ObjectKind } from "../../crds/object.ts";
import type { ClusterAccess } from "../../operator/cluster/cluster-access.ts";
import { KubeCluster } from "../../operator/cluster/kube-cluster.ts";
import { loadClusterAccess } from "../../operator/cluster/kube-config.ts";
import { ApiTransport } from "../../operator/cluster/transport.ts";
import type { Fence } from "../../operator/ports.ts";
import { systemClock } from "../../operator/runtime/clock.ts";
import { testCluster } from "./fixture.ts";

export interface KubeAdapter {
  readonly access: ClusterAccess;
  readonly transport: ApiTransport;
  readonly cluster: KubeCluster;
}

/** The operator's own adapter on the cluster of the tests, as `admin`; it ends with the test. */
export async function kubeAdapter(
  fence: Fence = { check() {} },
  onEnd: (close: () => Promise<void>) => void = onTestFinished,
): Promise<KubeAdapter> {
  const clock = systemClock();
  const access = await loadClusterAccess({ kubeconfig: testCluster().kubeconfigPath, env: {}, clock });
  const transport = new ApiTransport(access, { clock, userAgent: "fairlead/test" });
  onEnd(() => transport.close());
  return { access, transport, cluster: new KubeCluster({ transport, clock, fence }) };
}

/** A kind by `plural.group/version`, or `plural/version` in the core group. */
export function kindNamed(name: string, kind: string): ObjectKind {
  const [path = "", version = ""] = name.split("/");
  const dot = path.indexOf(".");
  const [plural, group] = dot === -1 ? [path, ""] : [path.slice(0, dot), path.slice(dot + 1)];
  return { group, version, kind, plural, namespaced: true };
}
