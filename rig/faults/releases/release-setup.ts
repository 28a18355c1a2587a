import type { TestCluster } from "../../../test/cluster/global-setup.ts";
import { install } from "../../../test/cluster/install.ts";
import { sharedGroup } from "../../../test/cluster/stamp-kind.ts";
import { createSharedSetup, type SharedSetup } from "../shared-setup.ts";

/** Creates the parts that all fixtures of a run share, with the operator's permissions for their objects. */
export async function createReleaseSetup(cluster: TestCluster): Promise<SharedSetup> {
  const kinds = [
    { group: sharedGroup, resource: "stamps" },
    { resource: "limitranges" },
    { resource: "podtemplates" },
    { group: "rbac.authorization.k8s.io", resource: "roles" },
  ];
  const releases = { enabled: true, requireServiceAccount: false, kinds };
  await install(cluster, { name: "release-kills", values: { releases } });
  return await createSharedSetup(cluster);
}
