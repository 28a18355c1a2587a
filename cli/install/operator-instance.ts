import { type Installation, podSelectorOf } from "../../charts/installation.ts";
import { Deployment, Pod } from "../../crds/core-kinds.ts";
import type { InstallClient, StoredObject } from "./install-client.ts";
import { waitUntil } from "./wait-until.ts";

/** Data that a process needs to run instead of a pod of the operator. */
export interface OperatorInstance {
  readonly pod: StoredObject;
  /** Arguments of `fairlead run`: those of the pod's container that also apply outside of it. */
  readonly args: readonly string[];
  /** Token of the operator's ServiceAccount, for this pod. */
  readonly token: string;
}

/** A process that runs for longer has to be restarted. */
const TOKEN_SECONDS = 30 * 24 * 3_600;

/** Options that only a pod can use: other containers, its volumes, and ports of its own. */
const ofPods =
  /^--(zone-sockets|hook-bind-address|hook-secrets|metrics-bind-address|health-probe-bind-address)=/;

/**
 * Chooses a pod of an installation and requests a token for it.
 *
 * @throws Error if there is no installation; NotInTimeError if it has no pod.
 */
export async function chooseInstance(
  client: InstallClient,
  installation: Installation,
  { deadlineMs }: { readonly deadlineMs: number },
): Promise<OperatorInstance> {
  const { name, namespace } = installation;
  const live = await client.read(Deployment, { name, namespace });
  if (live === undefined)
    throw new Error(
      `Cannot run the operator: there is no installation "${name}" in namespace "${namespace}"; npx fairlead install creates one`,
    );
  let pod: StoredObject | undefined;
  await waitUntil(
    async () => {
      pod = (await podsOf(client, installation))[0];
      return pod === undefined ? `Waiting for a pod of Deployment ${namespace}/${name}` : undefined;
    },
    { deadlineMs, report: () => undefined },
  );
  if (pod === undefined) throw new Error("unreachable: waited for it");
  return {
    pod,
    args: optionsOf(pod).filter((option) => !ofPods.test(option)),
    token: await client.requestToken({ name, namespace }, pod, TOKEN_SECONDS),
  };
}

/** Whether the pod still belongs to the Deployment: a changed Deployment replaces its pods. */
export async function isInUse(
  client: InstallClient,
  installation: Installation,
  { metadata: { uid } }: StoredObject,
): Promise<boolean> {
  return (await podsOf(client, installation)).some(({ metadata }) => metadata.uid === uid);
}

/** The newest first: while pods are replaced, the old ones are terminating. */
async function podsOf(client: InstallClient, installation: Installation): Promise<readonly StoredObject[]> {
  const selector = Object.entries(podSelectorOf(installation)).map(([key, value]) => `${key}=${value}`);
  const createdAt = ({ metadata }: StoredObject): string => metadata.creationTimestamp ?? "";
  return (await client.list(Pod, selector.join()))
    .filter(({ metadata }) => metadata.namespace === installation.namespace)
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .toSorted((a, b) => (createdAt(a) < createdAt(b) ? 1 : -1));
}

interface PodSpec {
  readonly containers?: readonly { readonly name: string; readonly args?: readonly string[] }[];
}

function optionsOf(pod: StoredObject): readonly string[] {
  const { containers = [] } = (pod["spec"] ?? {}) as PodSpec;
  const args = containers.find(({ name }) => name === "operator")?.args ?? [];
  return args.filter((arg) => arg.startsWith("--"));
}
