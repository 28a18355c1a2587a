import type { TestCluster } from "../../../test/cluster/global-setup.ts";
import { install } from "../../../test/cluster/install.ts";
import { sharedGroup } from "../../../test/cluster/stamp-kind.ts";
import { createWorld, type World } from "../world.ts";

/** Creates the parts that all stages of a run share, with the operator's permissions for their objects. */
export async function createReleaseWorld(cluster: TestCluster): Promise<World> {
  const kinds = [
    { group: sharedGroup, resource: "stamps" },
    { resource: "limitranges" },
    { resource: "podtemplates" },
    { group: "rbac.authorization.k8s.io", resource: "roles" },
  ];
  const releases = { enabled: true, requireServiceAccount: false, kinds };
  await install(cluster, { name: "release-kills", values: { releases } });
  return await createWorld(cluster);
}
