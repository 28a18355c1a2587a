import { createHash, type Hash } from "node:crypto";
import { toCanonicalJson } from "../../../synth/digest.ts";
import { idOf, type Manifest } from "../../../synth/manifest.ts";
import { estimateFileMemory, estimateMemory } from "../core/estimate-memory.ts";
import { showPath, showText } from "../core/show-text.ts";
import { ReleaseError } from "../errors.ts";
import type { Rendered, SourceFiles } from "../ports.ts";
import { DocumentError } from "./document-error.ts";
import { type ManifestFile, selectFiles } from "./manifest-files.ts";
import { type ReadDocument, readDocuments } from "./read-documents.ts";
import { type FoundObject, toManifests } from "./to-manifests.ts";
import type { Turn } from "./turns.ts";

/** Most objects of one Release. */
export const OBJECT_LIMIT = 10_000;
/** Most characters of JSON that they have in all: aliases can make much of little. */
const OUTPUT_LIMIT = 64 * 1_048_576;
const WARNING_LIMIT = 20;
/** Files are read in portions of this many bytes, so that a large folder is never in memory as a whole. */
const PORTION = 1_048_576;
/** A smaller portion does not wait for those of others. */
const SMALL_PORTION = 65_536;
/** Most memory that reading one file may take, in bytes. */
const FILE_MEMORY = 64 * 1_048_576;

interface Collected {
  readonly manifests: Manifest[];
  readonly origins: string[];
  /** Over the canonical JSON of the list of manifests, which is never in memory as a whole. */
  readonly hash: Hash;
  readonly originById: Map<string, string>;
  readonly warnings: string[];
  readonly memoryLimit: number;
  length: number;
  memory: number;
}

export interface RenderManifestsOptions {
  /** Most memory that all objects together may take, in bytes, as estimated. Default: no limit. */
  readonly memoryLimit?: number;
  /** Waits until a large portion may be read into objects; the result ends it. Default: at once. */
  readonly takePlace?: () => Promise<() => void>;
}

/** With the memory that its manifests take, in bytes, as estimated. */
export interface SizedRendered extends Rendered {
  readonly size: number;
}

/**
 * Reads the manifests of a folder.
 *
 * @returns Objects in the order of the files and documents, with their keys in code-unit order.
 * @throws {ReleaseError} `RenderFailed` with file, line and field, or `RenderLimit`. Never says what a file contains
 *   but names: it may be a Secret.
 */
export async function renderManifests(
  files: SourceFiles,
  turn: Turn,
  { memoryLimit = Number.POSITIVE_INFINITY, takePlace = async () => () => {} }: RenderManifestsOptions = {},
): Promise<SizedRendered> {
  const collected: Collected = {
    manifests: [],
    origins: [],
    hash: createHash("sha256"),
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
        if (content === undefined) throw new Error(`No content was read of ${showText(file.path)}`);
        await collectFile(file.path, content, collected, turn);
      }
    } finally {
      leave?.();
    }
  }
  const { manifests, origins, hash, warnings, memory: size } = collected;
  hash.update(manifests.length === 0 ? "[]" : "]");
  return {
    manifests,
    origins,
    size,
    dependencies: new Map(),
    // As digestOf() of synth/digest.ts makes it.
    digest: hash.digest("hex").slice(0, 32),
    ...(warnings.length > 0 && { warnings }),
  };
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
        collect(found, document, path, collected);
      }
    }
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    const line = error.line ?? document?.lineOf(error.path) ?? document?.line ?? 1;
    // Of what cannot even be read the line is known.
    const isTemplate = error.line !== undefined && content.includes("{{") && content.includes("}}");
    const hint = isTemplate ? "; it looks like a template, and those are not read" : "";
    throw new ReleaseError(error.reason, `${showText(path)}:${line}: ${error.message}${hint}`);
  }
}

function refuseFileMemory(path: string, content: Buffer, { memoryLimit }: Collected): void {
  const limit = Math.min(FILE_MEMORY, 2 * memoryLimit);
  const memory = estimateFileMemory(content);
  if (memory <= limit) return;
  throw new ReleaseError(
    "RenderLimit",
    `${showText(path)}: reading it may take ${mebibytes(memory)} of memory, at most ${mebibytes(limit)} are allowed; split it`,
  );
}

function mebibytes(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(1)} MiB`;
}

function collect(found: FoundObject, document: ReadDocument, path: string, collected: Collected): void {
  const place = found.path.length === 0 ? "" : ` ${showPath(found.path)}`;
  const origin = `${showText(path)}:${document.line}${place}`;
  const text = toCanonicalJson(found.manifest);
  // Read back, the object holds on to nothing of the file, and its aliases are copies.
  const manifest = JSON.parse(text) as Manifest;
  const id = idOf(manifest);
  const other = collected.originById.get(id);
  if (other !== undefined) {
    const { kind, metadata } = manifest;
    const namespace = metadata.namespace === undefined ? "" : `${metadata.namespace}/`;
    throw new DocumentError(`${kind} "${namespace}${metadata.name}" is there twice, as ${other}`, {
      path: found.path,
    });
  }
  collected.originById.set(id, origin);
  collected.manifests.push(manifest);
  collected.origins.push(origin);
  collected.hash.update(collected.manifests.length === 1 ? "[" : ",").update(text);
  collected.length += text.length;
  collected.memory += estimateMemory(text);
  if (collected.manifests.length > OBJECT_LIMIT) {
    throw new ReleaseError(
      "RenderLimit",
      `the folder has more than ${OBJECT_LIMIT} objects; make several Releases`,
    );
  }
  if (collected.length > OUTPUT_LIMIT) {
    throw new ReleaseError("RenderLimit", "the objects of the folder have more than 64 MiB in all");
  }
  if (collected.memory > collected.memoryLimit) {
    throw new ReleaseError(
      "RenderLimit",
      `the objects of the folder take more than ${mebibytes(collected.memoryLimit)} of memory; make several Releases in several namespaces of it`,
    );
  }
  if (found.dropped.length > 0 && collected.warnings.length < WARNING_LIMIT) {
    collected.warnings.push(
      `${origin}: left out, because the cluster decides it: ${found.dropped.join(", ")}`,
    );
  }
}
