import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Plugin } from "esbuild";

/**
 * Packages that are only loaded for some credentials import `node:http`. A bundle moves that import to its beginning,
 * where it also loads Node's own undici: 14 MiB and 50 ms. Loading the module in this way avoids that.
 */
export const leanHttp: Plugin = {
  name: "lean-http",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?http$/ }, () => ({ path: "http", namespace: "lean-http" }));
    onLoad({ filter: /.*/, namespace: "lean-http" }, () => ({
      contents: 'module.exports = process.getBuiltinModule("node:http");',
    }));
  },
};

/**
 * cdk8s contains a copy of yaml. If it has the version of our dependency, a bundle contains one copy only.
 */
export const oneYaml: Plugin = {
  name: "one-yaml",
  setup({ onResolve, resolve }) {
    const isOurs = Symbol("asked by this plugin");
    onResolve({ filter: /^yaml$/ }, async ({ kind, resolveDir, pluginData }) => {
      if (pluginData === isOurs) return undefined;
      const find = (from: string) => resolve("yaml", { kind, resolveDir: from, pluginData: isOurs });
      const [theirs, ours] = await Promise.all([find(resolveDir), find(import.meta.dirname)]);
      if (theirs.errors.length > 0 || ours.errors.length > 0) return theirs;
      const [wanted, there] = await Promise.all([versionOf(theirs.path), versionOf(ours.path)]);
      return wanted === there ? ours : theirs;
    });
  },
};

/** The package that contains a file `dist/…`. */
async function versionOf(path: string): Promise<unknown> {
  const manifest = JSON.parse(await readFile(join(dirname(dirname(path)), "package.json"), "utf8")) as object;
  return "version" in manifest ? manifest.version : undefined;
}
