import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { App } from "cdk8s";
import { build, type Plugin } from "esbuild";
import { CrdsChart } from "../../index.ts";
import { benchSet } from "../contestant/bench-set.ts";

/** Bundles our contestant into one ESM file, as an image would run it, and gives its path. */
export async function bundleContestant(directory: string): Promise<string> {
  const outfile = join(directory, "bundle.mjs");
  await build({
    entryPoints: [fileURLToPath(new URL("../contestant/main.ts", import.meta.url))],
    outfile,
    bundle: true,
    platform: "node",
    target: "node26",
    format: "esm",
    // Names stay as they are: for stack traces and profiles.
    minifyWhitespace: true,
    minifySyntax: true,
    // CommonJS packages in an ESM bundle ask for these.
    banner: {
      js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url); const __filename = import.meta.filename; const __dirname = import.meta.dirname;',
    },
    plugins: [leanHttp],
    logLevel: "error",
  });
  return outfile;
}

/**
 * Packages that are only loaded for some credentials import `node:http`, and a bundle moves that to the start, where it
 * loads Node's own undici too: 14 MiB and 50 ms. This way of getting the module does not.
 */
const leanHttp: Plugin = {
  name: "lean-http",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?http$/ }, () => ({ path: "http", namespace: "lean-http" }));
    onLoad({ filter: /.*/, namespace: "lean-http" }, () => ({
      contents: 'module.exports = process.getBuiltinModule("node:http");',
    }));
  },
};

/** The CustomResourceDefinition of our contestant's kind, as JSON. */
export function contestantCrd(): string {
  const [crd] = new CrdsChart(new App(), "crds", { kinds: [benchSet] }).toJson();
  return JSON.stringify(crd);
}
