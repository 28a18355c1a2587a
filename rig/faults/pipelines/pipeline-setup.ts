import { deliveryKinds } from "../../../charts/bindings-delivery.ts";
import type { TestCluster } from "../../../test/cluster/global-setup.ts";
import { install } from "../../../test/cluster/install.ts";
import { createSharedSetup, type SharedSetup } from "../shared-setup.ts";

/** Creates the parts that all fixtures of a run share, with the operator's permissions for their objects. */
export async function createPipelineSetup(cluster: TestCluster): Promise<SharedSetup> {
  const kinds = [{ resource: "configmaps" }, { group: "apps", resource: "deployments" }];
  const releases = { enabled: true, requireServiceAccount: false, kinds };
  await install(cluster, { kinds: deliveryKinds, name: "pipeline-kills", values: { releases } });
  return await createSharedSetup(cluster);
}
