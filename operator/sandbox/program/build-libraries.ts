import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { BuildOptions, Plugin } from "esbuild";
import { packageFolders } from "../code-files.ts";
import { makeClassesLazy } from "./lazy-classes.ts";

/**
 * The code that sandboxes run in addition to programs, as JavaScript. Built by esbuild from `inside/`, at the latest
 * when it is first needed.
 */
export interface ProgramLibraries {
  /** The process's own program, in CommonJS. */
  readonly runner: string;
  /** Classic scripts, in the order in which they are run in a context. */
  readonly libraries: readonly { readonly name: string; readonly code: string }[];
  /** A program of the operator that is run once for the code caches. */
  readonly warmUp: string;
}

/** Libraries that programs may import, in addition to `constructs`, which is part of cdk8s. */
const names = ["cdk8s", "cdk8s-plus-27", "fairlead/delivery", "zod"] as const;
const entries: Readonly<Record<(typeof names)[number], string>> = {
  cdk8s: "library-cdk8s",
  "cdk8s-plus-27": "library-plus",
  "fairlead/delivery": "library-delivery",
  zod: "library-zod",
};

/** The part of esbuild that is needed here: a build with one output. */
export type BuildText = (options: BuildOptions) => Promise<string>;

/** Bundles the libraries of this installation. Takes about 100 ms; the image contains the result as a file. */
export async function buildLibraries(build: BuildText): Promise<ProgramLibraries> {
  const bundle = (name: string, options: BundleOptions): Promise<string> => build(optionsOf(name, options));
  const [runner, warmUp, ...libraries] = await Promise.all([
    bundle("runner", { platform: "node", format: "cjs" }),
    bundle("warm-up", { format: "iife", globalName: "__exports", shared: names }),
    ...names.map((name) =>
      bundle(entries[name], { format: "iife", shared: name === "cdk8s" ? [] : ["cdk8s"] }),
    ),
  ]);
  return {
    runner: runner ?? "",
    warmUp: `__fairlead.program(() => { ${warmUp ?? ""}\nreturn __exports; });`,
    libraries: names.map((name, index) => ({ name, code: libraries[index] ?? "" })),
  };
}

interface BundleOptions {
  readonly format: "cjs" | "iife";
  readonly platform?: "node";
  readonly globalName?: string;
  /** Libraries that are loaded before this one runs. */
  readonly shared?: readonly string[];
}

function optionsOf(name: string, { shared = [], platform, ...output }: BundleOptions): BuildOptions {
  const source = join(import.meta.dirname, "inside", `${name}.ts`);
  return {
    // A package contains compiled files, because Node runs no TypeScript below node_modules.
    entryPoints: [existsSync(source) ? source : source.replace(/\.ts$/, ".js")],
    ...output,
    // A call site of a strict function has no receiver; that of a sloppy function is the global object. Code for the
    // process's own realm is also wrapped in a function, so that its variables are not on the global object.
    banner: { js: platform === "node" ? '"use strict"; (() => {' : '"use strict";' },
    ...(platform === "node" && { footer: { js: "})();" } }),
    bundle: true,
    write: false,
    platform: platform ?? "neutral",
    mainFields: ["module", "main"],
    conditions: ["import", "default"],
    target: "es2024",
    tsconfigRaw: {},
    // Under isolation it cannot list the folder that contains node_modules.
    nodePaths: [...packageFolders()],
    minifyWhitespace: true,
    legalComments: "none",
    logLevel: "silent",
    ...(platform === undefined && {
      inject: [join(import.meta.dirname, "inside", existsSync(source) ? "process.ts" : "process.js")],
      plugins: [shareLibraries(shared), withoutNode],
    }),
  };
}

/** The context provides these packages. */
function shareLibraries(shared: readonly string[]): Plugin {
  return {
    name: "share-libraries",
    setup({ onResolve, onLoad }) {
      const wanted = shared.includes("cdk8s") ? [...shared, "constructs"] : shared;
      onResolve({ filter: /^[a-z]/ }, ({ path }) =>
        wanted.includes(path) ? { path, namespace: "shared" } : undefined,
      );
      onLoad({ filter: /.*/, namespace: "shared" }, ({ path }) => ({
        contents: `module.exports = __fairlead.library(${JSON.stringify(path)});`,
      }));
    },
  };
}

/** Node modules are replaced, and `yaml`, which is large, is evaluated only when it is used. */
const withoutNode: Plugin = {
  name: "without-node",
  setup({ onResolve, onLoad }) {
    const inside = join(import.meta.dirname, "inside");
    const extension = existsSync(join(inside, "hash.ts")) ? "ts" : "js";
    onResolve({ filter: /^(node:)?(fs|os|path|child_process)$/ }, () => ({
      path: join(inside, `refused-modules.${extension}`),
    }));
    onResolve({ filter: /^(node:)?crypto$/ }, () => ({ path: join(inside, `hash.${extension}`) }));
    onLoad({ filter: /cdk8s-plus-27[\\/]lib[\\/]imports[\\/]k8s\.js$/ }, async ({ path }) => ({
      contents: makeClassesLazy(await readFile(path, "utf8")),
    }));
    onResolve({ filter: /^yaml$/ }, ({ namespace }) =>
      namespace === "lazy" ? undefined : { path: "yaml", namespace: "lazy" },
    );
    onLoad({ filter: /.*/, namespace: "lazy" }, () => ({
      contents: `
        const load = () => require("yaml");
        exports.parseAllDocuments = (...values) => load().parseAllDocuments(...values);
        exports.stringify = (...values) => load().stringify(...values);`,
      resolveDir: inside,
    }));
  },
};
