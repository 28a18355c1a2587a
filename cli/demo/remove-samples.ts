import { setTimeout as sleep } from "node:timers/promises";
import type { KubernetesObject } from "../../crds/object.ts";
import { printError } from "../terminal-text.ts";
import { type AdminOptions, deleteAsAdmin, existsForAdmin } from "./admin.ts";
import { isRelease } from "./samples.ts";

const looksMs = 200;
const patienceMs = 30_000;

/**
 * Deletes samples. Call it while the operator runs: a Release is removed after its objects, which the operator deletes.
 */
export async function removeSamples(
  samples: readonly KubernetesObject[],
  admin: AdminOptions,
): Promise<void> {
  for (const sample of samples) await telling(() => deleteAsAdmin(sample, admin));
  for (const release of samples.filter(isRelease)) await telling(() => untilGone(release, admin));
}

async function untilGone(release: KubernetesObject, admin: AdminOptions): Promise<void> {
  for (let waitedMs = 0; await existsForAdmin(release, admin); waitedMs += looksMs) {
    if (waitedMs >= patienceMs)
      throw new Error(
        `Release "${release.metadata.name}" still has objects: delete them, then remove its finalizer`,
      );
    await sleep(looksMs);
  }
}

/** A failure is printed, and the others are still removed. */
async function telling(step: () => Promise<void>): Promise<void> {
  try {
    await step();
  } catch (error) {
    printError(`fairlead: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}
