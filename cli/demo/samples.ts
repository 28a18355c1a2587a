import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseAllDocuments } from "yaml";
import type { KubernetesObject } from "../../crds/object.ts";
import { type AdminOptions, applyAsAdmin, existsForAdmin, RequestRefusedError } from "./admin.ts";

/** The samples that ship; in an installed package they lie beside the built sources. */
export function readSamples(): readonly KubernetesObject[] {
  const folder = findSamples();
  return readdirSync(folder)
    .toSorted()
    .flatMap((file) => parseAllDocuments(readFileSync(join(folder, file), "utf8")))
    .map((document) => document.toJS() as KubernetesObject);
}

function findSamples(): string {
  const places = ["../../samples", "../../../../samples"].map((path) => join(import.meta.dirname, path));
  const found = places.find((place) => {
    try {
      return readdirSync(place).length > 0;
    } catch {
      return false;
    }
  });
  if (found === undefined) throw new Error("Cannot find the samples: the package is not complete");
  return found;
}

const triesMs = 200;
const patienceMs = 20_000;

/**
 * Makes a sample, unless there is one of its name. A CRD is served a moment after it was accepted: that is waited for.
 *
 * @returns Whether it was made.
 */
export async function makeSample(
  sample: KubernetesObject,
  options: AdminOptions & { readonly signal: AbortSignal },
): Promise<boolean> {
  const { signal } = options;
  for (let waitedMs = 0; ; waitedMs += triesMs) {
    try {
      if (await existsForAdmin(sample, options)) return false;
      await applyAsAdmin(sample, options);
      return true;
    } catch (error) {
      const isTooEarly =
        error instanceof RequestRefusedError && (error.status === 404 || error.status >= 500);
      if (!isTooEarly || waitedMs >= patienceMs) throw error;
      await sleep(triesMs, undefined, { signal });
    }
  }
}
