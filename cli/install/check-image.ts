import type { OperatorValues } from "../../charts/values/operator-values.ts";
import { readOperatorValues } from "../../charts/values/operator-values.ts";
import type { ObjectKind } from "../../crds/object.ts";
import { version } from "../../operator/telemetry/version.ts";
import type { InstallClient, StoredObject } from "./install-client.ts";

/** No registry can contain the image. */
export class NoRegistryError extends Error {
  override readonly name = "NoRegistryError";
}

/** The kind of cluster nodes. Only this check reads it. */
const Node: ObjectKind = { group: "", version: "v1", kind: "Node", plural: "nodes", namespaced: false };

/** The kubelet version of nodes of `fairlead cluster` (local-cluster/stages.yaml). */
const SIMULATED = "simulated";

/** Whether all nodes of a cluster are simulated: their pods run no container. */
export async function hasSimulatedNodes(client: Pick<InstallClient, "listAllowed">): Promise<boolean> {
  // A user without permission to list nodes has a shared cluster, which is real.
  const nodes = await client.listAllowed(Node);
  const kubeletOf = (node: StoredObject): string | undefined =>
    (node["status"] as { readonly nodeInfo?: { readonly kubeletVersion?: string } } | undefined)?.nodeInfo
      ?.kubeletVersion;
  return nodes.length > 0 && nodes.every((node) => kubeletOf(node) === SIMULATED);
}

/**
 * Rejects an image that no registry can contain: one without a registry's name, which is Docker's own namespace, and one
 * of `localhost`, the name for local builds. With `imagePullPolicy: Never` the nodes have it already. Pure.
 *
 * @throws NoRegistryError with the commands that build the image and make it available to the nodes.
 */
export function refuseUnpullableImage(given: OperatorValues): void {
  const { image, imagePullPolicy } = readOperatorValues(given);
  const [host = "", ...path] = image.split("/");
  const isLocal = path.length === 0 || host === "localhost";
  if (!isLocal || imagePullPolicy === "Never") return;
  const example = `registry.example.dev/fairlead:${version}`;
  throw new NoRegistryError(
    `Cannot install the image ${image}: no registry has it, so no node can pull it. In the repository of Fairlead:\n` +
      `  podman build -t ${example} . && podman push ${example}\n` +
      `  npx fairlead install --set image=${example}\n` +
      "If all nodes have it already (kind load docker-image), add --set imagePullPolicy=Never",
  );
}
