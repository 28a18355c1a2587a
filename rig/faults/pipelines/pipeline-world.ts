import { deliveryKinds } from "../../../charts/bindings-delivery.ts";
import type { TestCluster } from "../../../test/cluster/global-setup.ts";
import { install } from "../../../test/cluster/install.ts";
import { createWorld, type World } from "../world.ts";

/** Creates the parts that all scenes of a run share, with the operator's permissions for their objects. */
export async function createPipelineWorld(cluster: TestCluster): Promise<World> {
  const kinds = [{ resource: "configmaps" }, { group: "apps", resource: "deployments" }];
  const releases = { enabled: true, requireServiceAccount: false, kinds };
  await install(cluster, { kinds: deliveryKinds, name: "pipeline-kills", values: { releases } });
  return await createWorld(cluster);
}
