import { createHash } from "node:crypto";
import { toCanonicalJson } from "../../synth/digest.ts";
import { idOf, type Manifest } from "../../synth/manifest.ts";
import { showMebibytes, showPath, showText } from "../engine/show-text.ts";
import { SourceError } from "../errors.ts";
import type { SourceFiles } from "../git/source/ports.ts";
import { DocumentError } from "./document-error.ts";
import { estimateFileMemory, estimateMemory, estimateYamlMemory } from "./estimate-memory.ts";
import { type ManifestFile, selectFiles } from "./manifest-files.ts";
import type { Rendered } from "./ports.ts";
import { type ReadDocument, readDocuments } from "./read-documents.ts";
import { type FoundObject, toManifests } from "./to-manifests.ts";
import type { Turn } from "./turns.ts";

/** Maximum number of objects of one resource. */
export const OBJECT_LIMIT = 10_000;
/** Maximum characters of their JSON in total, because aliases can expand a small text. */
const OUTPUT_LIMIT = 64 * 1_048_576;
const WARNING_LIMIT = 20;
/** Files are read in portions of this many bytes, so that a large folder is never in memory as a whole. */
const PORTION = 1_048_576;
/** A smaller portion does not wait for the portions of others. */
const SMALL_PORTION = 65_536;
/** Maximum memory for parsing one file, in bytes. */
const FILE_MEMORY = 64 * 1_048_576;

/** One object of a folder. */
export interface FolderObject {
  /** Canonical JSON. */
  readonly text: string;
  /** File, line and position in the document. */
  readonly origin: string;
}

/** Receives an object. The next one is read after the returned promise, if any, has resolved. */
export type TakeObject = (object: FolderObject) => Promise<void> | undefined;

interface Collected {
  readonly take: TakeObject;
  readonly originById: Map<string, string>;
  readonly warnings: string[];
  readonly memoryLimit: number;
  length: number;
  memory: number;
}

export interface RenderManifestsOptions {
  /** Maximum memory of all objects together, in bytes, as estimated. Default: no limit. */
  readonly memoryLimit?: number;
  /** Waits until a large portion may be parsed; the returned function ends that. Default: no wait. */
  readonly takePlace?: () => Promise<() => void>;
}

export interface ReadFolderOptions extends RenderManifestsOptions {
  readonly take: TakeObject;
}

/** The result, with the estimated memory of its manifests in bytes. */
export interface SizedRendered extends Rendered {
  readonly size: number;
}

/**
 * Reads the manifests of a folder, as {@link readFolderObjects}.
 *
 * @returns Objects in the order of the files and documents, with their keys in code-unit order.
 * @throws {SourceError}
 */
export async function renderManifests(
  files: SourceFiles,
  turn: Turn,
  options: RenderManifestsOptions = {},
): Promise<SizedRendered> {
  const manifests: Manifest[] = [];
  const origins: string[] = [];
  const hash = createHash("sha256");
  const take = ({ text, origin }: FolderObject): undefined => {
    hash.update(manifests.length === 0 ? "[" : ",").update(text);
    // Parsed again, so that the object references no text of the file, and its aliases are copies.
    manifests.push(JSON.parse(text) as Manifest);
    origins.push(origin);
  };
  const { warnings, memory: size } = await readFolderObjects(files, turn, { ...options, take });
  hash.update(manifests.length === 0 ? "[]" : "]");
  return {
    manifests,
    origins,
    size,
    dependencies: new Map(),
    // As digestOf() of synth/digest.ts.
    digest: hash.digest("hex").slice(0, 32),
    ...(warnings.length > 0 && { warnings }),
  };
}

/**
 * Reads the objects of a folder one after the other, so that they need not be in memory together.
 *
 * @returns Warnings about ignored content; and the estimated memory of the objects in bytes.
 * @throws {SourceError} `RenderFailed` with file, line and field, or `RenderLimit`. Messages contain only names from a
 * file, because it may be a Secret.
 */
export async function readFolderObjects(
  files: SourceFiles,
  turn: Turn,
  { take, memoryLimit = Number.POSITIVE_INFINITY, takePlace = async () => () => {} }: ReadFolderOptions,
): Promise<{ readonly warnings: readonly string[]; readonly memory: number }> {
  const collected: Collected = {
    take,
    originById: new Map(),
    warnings: [],
    memoryLimit,
    length: 0,
    memory: 0,
  };
  for (const portion of portionsOf(await selectFiles(files, turn))) {
    const contents = await turn.waitFor(files.read(portion.map(({ blob }) => blob)));
    const isSmall = portion.reduce((sum, { size }) => sum + size, 0) <= SMALL_PORTION;
    const leave = isSmall ? undefined : await turn.waitFor(takePlace());
    try {
      for (const file of portion) {
        const content = contents.get(file.blob);
        if (content === undefined) throw new Error(`No content was read from ${showText(file.path)}`);
        await collectFile(file.path, content, collected, turn);
      }
    } finally {
      leave?.();
    }
  }
  return { warnings: collected.warnings, memory: collected.memory };
}

function* portionsOf(files: readonly ManifestFile[]): Generator<readonly ManifestFile[]> {
  let portion: ManifestFile[] = [];
  let size = 0;
  for (const file of files) {
    if (size + file.size > PORTION && portion.length > 0) {
      yield portion;
      portion = [];
      size = 0;
    }
    portion.push(file);
    size += file.size;
  }
  if (portion.length > 0) yield portion;
}

async function collectFile(path: string, content: Buffer, collected: Collected, turn: Turn): Promise<void> {
  refuseFileMemory(path, content, collected);
  let document: ReadDocument | undefined;
  try {
    for (document of readDocuments(path, content)) {
      if (turn.isOver) await turn.next();
      if (document === undefined) continue;
      for (const found of toManifests(document.value)) {
        if (turn.isOver) await turn.next();
        const waiting = collect(found, document, path, collected);
        if (waiting !== undefined) await turn.waitFor(waiting);
      }
    }
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    const line = error.line ?? document?.lineOf(error.path) ?? document?.line ?? 1;
    // For a file that cannot be parsed, the line is known.
    const isTemplate = error.line !== undefined && content.includes("{{") && content.includes("}}");
    const hint = isTemplate ? "; it looks like a template, which is not supported" : "";
    throw new SourceError(error.reason, `${showText(path)}:${line}: ${error.message}${hint}`);
  }
}

function refuseFileMemory(path: string, content: Buffer, { memoryLimit }: Collected): void {
  const limit = Math.min(FILE_MEMORY, 2 * memoryLimit);
  const memory = path.endsWith(".json") ? estimateFileMemory(content) : estimateYamlMemory(content);
  if (memory <= limit) return;
  throw new SourceError(
    "RenderLimit",
    `${showText(path)}: reading it may take ${showMebibytes(memory)} of memory, at most ${showMebibytes(limit)} are allowed; split it`,
  );
}

function collect(
  found: FoundObject,
  document: ReadDocument,
  path: string,
  collected: Collected,
): Promise<void> | undefined {
  const place = found.path.length === 0 ? "" : ` ${showPath(found.path)}`;
  const origin = `${showText(path)}:${document.line}${place}`;
  const text = toCanonicalJson(found.manifest);
  const id = idOf(found.manifest);
  const other = collected.originById.get(id);
  if (other !== undefined) {
    const { kind, metadata } = found.manifest;
    const namespace = metadata.namespace === undefined ? "" : `${metadata.namespace}/`;
    throw new DocumentError(`${kind} "${namespace}${metadata.name}" is defined twice, also in ${other}`, {
      path: found.path,
    });
  }
  collected.originById.set(id, origin);
  collected.length += text.length;
  collected.memory += estimateMemory(text);
  if (collected.originById.size > OBJECT_LIMIT) {
    throw new SourceError(
      "RenderLimit",
      `the folder has more than ${OBJECT_LIMIT} objects; split it into several Releases`,
    );
  }
  if (collected.length > OUTPUT_LIMIT) {
    throw new SourceError("RenderLimit", "the objects of the folder have more than 64 MiB in all");
  }
  if (collected.memory > collected.memoryLimit) {
    throw new SourceError(
      "RenderLimit",
      `the objects of the folder take more than ${showMebibytes(collected.memoryLimit)} of memory; split it into several Releases in several namespaces`,
    );
  }
  if (found.dropped.length > 0 && collected.warnings.length < WARNING_LIMIT) {
    collected.warnings.push(`${origin}: ignored because the cluster sets it: ${found.dropped.join(", ")}`);
  }
  return collected.take({ text, origin });
}
