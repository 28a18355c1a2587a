import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { build, type Plugin } from "esbuild";

export interface BundleProgramInput {
  /** Path of the TypeScript file that is run. */
  readonly entry: string;
  /** Ends in `.mjs`; its parts come beside it. */
  readonly outfile: string;
}

export interface BundleProgramsInput {
  /** Paths of TypeScript files that are run. */
  readonly entries: readonly string[];
  /** Gets a file `<name>.mjs` for each, and the parts that they share. */
  readonly folder: string;
}

/**
 * Bundles a program and all that it imports into ESM for Node 26, as an image runs it: a file, and parts beside it that
 * are read when they are needed. What few need and is imported late would otherwise be parsed by every start: 60 ms and 14 MiB
 * of an operator (tried with Node 26).
 *
 * @returns What went into it: paths from the working directory.
 */
export async function bundleProgram({ entry, outfile }: BundleProgramInput): Promise<readonly string[]> {
  return await bundle([{ in: entry, out: basename(outfile, ".mjs") }], dirname(outfile));
}

/** The same for several programs, which share their parts. */
export async function bundlePrograms({ entries, folder }: BundleProgramsInput): Promise<void> {
  await bundle(
    entries.map((entry) => ({ in: entry, out: basename(entry, ".ts") })),
    folder,
  );
}

async function bundle(
  entryPoints: readonly { readonly in: string; readonly out: string }[],
  outdir: string,
): Promise<readonly string[]> {
  const { metafile } = await build({
    entryPoints: [...entryPoints],
    outdir,
    outExtension: { ".js": ".mjs" },
    // Beside it, not below: some find their files by their own place.
    chunkNames: "part-[hash]",
    bundle: true,
    splitting: true,
    metafile: true,
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
    plugins: [leanHttp, oneYaml],
    // It looks for its own program beside itself: see add-program-support.ts.
    external: ["esbuild"],
    logLevel: "error",
  });
  return Object.keys(metafile.inputs);
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

/** cdk8s brings a copy of yaml along. Where it is the version that we have, one is enough: 2 MiB of every operator. */
const oneYaml: Plugin = {
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

/** Of the package that a file `dist/…` is in. */
async function versionOf(path: string): Promise<unknown> {
  const manifest = JSON.parse(await readFile(join(dirname(dirname(path)), "package.json"), "utf8")) as object;
  return "version" in manifest ? manifest.version : undefined;
}
