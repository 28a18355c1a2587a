import type {
  BuildOptions,
  Message,
  OnLoadArgs,
  OnLoadResult,
  OnResolveArgs,
  OnResolveResult,
  Plugin,
} from "esbuild";
import { digestOf } from "../../../synth/digest.ts";
import type { SourceFiles } from "../../git/source/ports.ts";
import type { Esbuild } from "./esbuild-service.ts";
import { importContents, withoutDynamicImport } from "./import-contents.ts";
import { resolveImport } from "./import-path.ts";
import { programFailure, programLimit } from "./program-failure.ts";

/** A program as one script. */
export interface Bundle {
  /** A classic script that passes its exports to the harness. */
  readonly code: string;
  readonly digest: string;
  /** Libraries that it imports. */
  readonly needs: readonly string[];
  /** Files that are part of it, sorted. */
  readonly readPaths: readonly string[];
  /** JSON of the source map of `code`. */
  readonly sourceMap: string;
}

export interface BundleProgramOptions {
  readonly esbuild: Esbuild;
  /** Memory limit of the bundler, if it is less than its full limit. */
  readonly shareMiB?: number | undefined;
}

/** Maximum size of one file, and of all files together, in bytes. */
const FILE_BYTES = 4 * 2 ** 20;
const ALL_BYTES = 16 * 2 ** 20;
/** Maximum number of files of one program. */
const FILES = 2_000;
const namespace = "release";

/**
 * Bundles a program from the files of one commit. The operator resolves every import, so that no file outside of the
 * folder is ever read.
 *
 * @throws SourceError RenderFailed with file and line; RenderLimit; errors of reading the files.
 */
export async function bundleProgram(
  entry: string,
  { folder, early, files }: ProgramFolder,
  { esbuild, shareMiB }: BundleProgramOptions,
): Promise<Bundle> {
  const start = resolveImport(entry, undefined, folder);
  if (!("path" in start)) {
    throw programFailure(`entry ${entry}: ${"refused" in start ? start.refused : "this is a library"}`);
  }
  const needs = new Set<string>(["cdk8s"]);
  const failures: unknown[] = [];
  let bytes = 0;
  const paths = new Set<string>();
  const read = async (path: string): Promise<string> => {
    const { blob = "", size = 0 } = folder.entries.get(path) ?? {};
    // A build may be repeated.
    if (!paths.has(path)) bytes += size;
    paths.add(path);
    if (size > FILE_BYTES) throw programLimit(`${path} is larger than ${FILE_BYTES / 2 ** 20} MiB`);
    if (bytes > ALL_BYTES) throw programLimit(`its files are larger than ${ALL_BYTES / 2 ** 20} MiB`);
    if (paths.size > FILES) throw programLimit(`it has more than ${FILES} files`);
    const text = (early.get(blob) ?? (await files.read([blob])).get(blob))?.toString("utf8");
    if (text === undefined) throw new Error(`Cannot read "${path}": its content is missing`);
    return text;
  };
  const plugin = answerImports({ esbuild, folder, needs, read, entry: start.path, failures });
  const options: BuildOptions = {
    entryPoints: [start.path],
    plugins: [plugin],
    outfile: "release-program.js",
    bundle: true,
    write: false,
    metafile: true,
    format: "iife",
    globalName: "__exports",
    platform: "neutral",
    target: "es2024",
    // esbuild itself resolves require() of a pattern, with files of this machine, so the name `require` is not available
    // to it.
    define: { require: "__fairleadRequire" },
    tsconfigRaw: {},
    sourcemap: "external",
    sourcesContent: false,
    charset: "utf8",
    logLevel: "silent",
    logLimit: 10,
    banner: { js: `"use strict"; __fairlead.program(() => { const __fairleadRequire = ${refuseRequire};` },
    footer: { js: "return __exports; });" },
  };
  const result = await esbuild.build(options, { shareMiB });
  if (failures.length > 0) throw failures[0];
  if (!result.ok) throw programFailure(describe(result.messages));
  // A second protection after withoutDynamicImport(): output that contains any other file is rejected.
  if (!result.inputs.every((input) => /^(release|library):/.test(input))) throw programFailure(outside);
  const texts = new Map(result.files.map(({ path, text }) => [path.endsWith(".map") ? "map" : "code", text]));
  const code = texts.get("code") ?? "";
  return {
    code,
    digest: digestOf(code),
    needs: [...needs],
    readPaths: [...paths].toSorted(),
    sourceMap: texts.get("map") ?? "",
  };
}

const refuseRequire =
  '(name) => { throw new Error("a program cannot load " + name + " while it runs: import it by a constant name at the top of the file"); }';

export interface Folder {
  readonly files: ReadonlySet<string>;
  readonly refused: ReadonlyMap<string, string>;
  readonly entries: ReadonlyMap<string, { readonly blob: string; readonly size: number }>;
}

/** The code of a folder is read as a whole if it is small. */
export interface ProgramFolder {
  readonly folder: Folder;
  /** File contents by blob id. */
  readonly early: ReadonlyMap<string, Buffer>;
  readonly files: SourceFiles;
}

/**
 * Reads the list of files of a program's folder, and its code if it is small. It waits for a clone that is being
 * fetched, so call it before acquiring anything that others wait for.
 */
export async function openProgramFolder(files: SourceFiles): Promise<ProgramFolder> {
  const folder = await readFolder(files);
  return { folder, early: await readCode(folder, files), files };
}

async function readFolder(files: SourceFiles): Promise<Folder> {
  const list = await files.list();
  const entries = new Map(list.files.map(({ path, blob, size }) => [path, { blob, size }]));
  return {
    entries,
    files: new Set(entries.keys()),
    refused: new Map(list.refused.map(({ path, what }) => [path, what])),
  };
}

/** Reads the code of a small folder at once, because each request to git takes time. */
async function readCode({ entries }: Folder, files: SourceFiles): Promise<ReadonlyMap<string, Buffer>> {
  const code = [...entries]
    .filter(([path]) => /\.(m?[jt]s|json|ya?ml)$/.test(path))
    .map(([, entry]) => entry);
  const bytes = code.reduce((sum, { size }) => sum + size, 0);
  return code.length > 200 || bytes > 2 ** 20 ? new Map() : files.read(code.map(({ blob }) => blob));
}

interface AnswerImportsInput {
  readonly esbuild: Esbuild;
  readonly folder: Folder;
  readonly needs: Set<string>;
  readonly read: (path: string) => Promise<string>;
  readonly entry: string;
  /** Errors that are to be thrown unchanged. */
  readonly failures: unknown[];
}

function answerImports({ esbuild, folder, needs, read, entry, failures }: AnswerImportsInput): Plugin {
  const resolve = ({ path, kind, importer }: OnResolveArgs): OnResolveResult => {
    if (kind === "entry-point") return { path: entry, namespace };
    const target = resolveImport(path, importer, folder);
    if ("refused" in target) return { errors: [{ text: `Cannot import "${path}": ${target.refused}` }] };
    if ("path" in target) return { path: target.path, namespace };
    needs.add(target.library);
    return { path: target.library, namespace: "library", sideEffects: false };
  };
  const load = async ({ path, with: attributes }: OnLoadArgs): Promise<OnLoadResult> => {
    try {
      const contents = importContents(path, await read(path), attributes["type"]);
      if (contents !== undefined) return await withoutDynamicImport(contents, path, esbuild);
      const text = `Cannot import "${path}": a program imports .ts, .js, .json, .yaml and .txt files, and any other file as a text by: with { type: "text" }`;
      return { errors: [{ text }] };
    } catch (error) {
      const [message] = (error as { errors?: readonly Message[] }).errors ?? [];
      if (message === undefined) {
        failures.push(error);
        throw error;
      }
      const { line = 1, column = 0 } = message.location ?? {};
      return { errors: [{ text: message.text, location: { file: `${namespace}:${path}`, line, column } }] };
    }
  };
  return {
    name: "release",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /.*/ }, resolve);
      onLoad({ filter: /.*/, namespace }, load);
      onLoad({ filter: /.*/, namespace: "library" }, ({ path }) => ({
        contents: `module.exports = __fairlead.library(${JSON.stringify(path)});`,
        loader: "js",
      }));
    },
  };
}

const outside = "it imports files outside of its folder";

function describe(messages: readonly Message[]): string {
  const isOurs = ({ location }: Message): boolean =>
    location === null || location.file.startsWith(`${namespace}:`);
  if (!messages.every(isOurs)) return outside;
  const [first, ...others] = messages;
  const { file = "", line = 0, column = 0 } = first?.location ?? {};
  const path = file.startsWith(`${namespace}:`) ? file.slice(namespace.length + 1) : file;
  const at = path === "" ? "" : `${path}:${line}:${column + 1}: `;
  const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
  return `${at}${first?.text ?? "it cannot be bundled"}${more}`;
}
