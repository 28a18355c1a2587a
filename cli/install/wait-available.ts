import { CustomResourceDefinition, Deployment, Pod } from "../../crds/core-kinds.ts";
import type { KubernetesObject } from "../../crds/object.ts";
import { toLiveObject } from "../../operator/cluster/live-object.ts";
import { assessHealth } from "../../operator/engine/health/health.ts";
import type { InstallClient, StoredObject } from "./install-client.ts";
import { titleOf } from "./installable-kinds.ts";
import { NotInTimeError, type WaitUntilOptions, waitUntil } from "./wait-until.ts";

type Waiting = WaitUntilOptions & { readonly client: InstallClient };

/** Waits until the API server serves all of these CustomResourceDefinitions. */
export async function untilEstablished(
  definitions: readonly KubernetesObject[],
  { client, ...options }: Waiting,
): Promise<void> {
  const waiting = new Set(definitions.map(({ metadata }) => metadata.name));
  await waitUntil(async () => {
    for (const name of waiting) {
      const live = await client.read(CustomResourceDefinition, { name });
      if (isEstablished(live)) waiting.delete(name);
    }
    return waiting.size === 0 ? undefined : `Waiting until the API server serves ${[...waiting].join(", ")}`;
  }, options);
}

function isEstablished(live: StoredObject | undefined): boolean {
  // A definition that was just created has null there.
  const { conditions } = (live?.["status"] ?? {}) as {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[] | null;
  };
  return (conditions ?? []).some(({ type, status }) => type === "Established" && status === "True");
}

/**
 * Waits until all pods of a Deployment are available.
 *
 * @throws NotInTimeError that names what is not available, and why.
 */
export async function untilAvailable(
  wanted: KubernetesObject,
  { client, ...options }: Waiting,
): Promise<void> {
  const title = titleOf(wanted);
  const { matchLabels } = (wanted["spec"] as { selector: { matchLabels: Record<string, string> } }).selector;
  const selector = Object.entries(matchLabels).map(([name, value]) => `${name}=${value}`);
  const look = async (): Promise<string | undefined> => {
    const live = await client.read(Deployment, wanted.metadata);
    const pods = (await client.list(Pod, selector.join())).filter(
      ({ metadata }) => metadata.namespace === wanted.metadata.namespace,
    );
    const options = { nowMs: Date.now(), pods: pods.map((pod) => toLiveObject(pod)) };
    const health = assessHealth(live && toLiveObject(live), options);
    if (health.status === "Failed") throw new NotInTimeError(`${title}: ${health.message}`);
    return health.status === "Current" ? undefined : `Waiting for ${title}: ${health.message}`;
  };
  try {
    await waitUntil(look, options);
  } catch (error) {
    if (!(error instanceof NotInTimeError)) throw error;
    const why = error.message.replace(/^Waiting for /, "");
    throw new NotInTimeError(`Everything is applied but not available: ${why}`, { cause: error });
  }
}
