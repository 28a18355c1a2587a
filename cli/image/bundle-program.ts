import { basename, dirname } from "node:path";
import { build } from "esbuild";
import { leanHttp, oneYaml } from "./lean-bundle.ts";

export interface BundleProgramInput {
  /** Path of the program's TypeScript file. */
  readonly entry: string;
  /** Ends with `.mjs`; its chunks are written to the same folder. */
  readonly outfile: string;
}

export interface BundleProgramsInput {
  /** Paths of TypeScript files. */
  readonly entries: readonly string[];
  /** Folder for a file `<name>.mjs` of each, and for their shared chunks. */
  readonly folder: string;
}

/**
 * Bundles a program and all its imports into ESM for Node 26, for an image: a file, and chunks beside it that are read
 * when they are needed. Otherwise dynamic imports that are rarely needed would be parsed at every start: 60 ms and 14
 * MiB of an operator (measured with Node 26).
 *
 * @returns The bundled files: paths relative to the working directory.
 */
export async function bundleProgram({ entry, outfile }: BundleProgramInput): Promise<readonly string[]> {
  return await bundle([{ in: entry, out: basename(outfile, ".mjs") }], dirname(outfile));
}

/** The same for several programs, which share their chunks. */
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
    // In the same folder, not in a subfolder: some files are found relative to the importing file.
    chunkNames: "part-[hash]",
    bundle: true,
    splitting: true,
    metafile: true,
    platform: "node",
    target: "node26",
    format: "esm",
    // Names are kept, for stack traces and profiles.
    minifyWhitespace: true,
    minifySyntax: true,
    // CommonJS packages in an ESM bundle use these names.
    banner: {
      js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url); const __filename = import.meta.filename; const __dirname = import.meta.dirname;',
    },
    // undici imports this name. In a separate bundle it has no second parser of HTTP/1.1, 190 KB that are disabled
    // anyway.
    define: { esbuildDetection: "true" },
    plugins: [leanHttp, oneYaml],
    // It searches for its executable in its own folder: see add-program-support.ts.
    external: ["esbuild"],
    logLevel: "error",
  });
  return Object.keys(metafile.inputs);
}
