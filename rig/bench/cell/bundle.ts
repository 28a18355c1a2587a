import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { App } from "cdk8s";
import { bundleProgram } from "../../../cli/image/bundle-program.ts";
import { addZones } from "../../../cli/image/write-image-files.ts";
import { CrdsChart } from "../../../index.ts";
import { benchSet } from "../implementation/bench-set.ts";

/** Bundles our implementation as for an image, and returns the path of its program. */
export async function bundleImplementation(directory: string): Promise<string> {
  const outfile = join(directory, "bundle.mjs");
  const entry = fileURLToPath(new URL("../implementation/main.ts", import.meta.url));
  await bundleProgram({ entry, outfile });
  await addZones(directory);
  return outfile;
}

/** The CustomResourceDefinition of our implementation's kind, as JSON. */
export function implementationCrd(): string {
  const [crd] = new CrdsChart(new App(), "crds", { kinds: [benchSet] }).toJson();
  return JSON.stringify(crd);
}
