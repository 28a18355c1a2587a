import { showText } from "../engine/show-text.ts";
import { SourceError } from "../errors.ts";
import type { SourceFiles } from "../git/source/ports.ts";
import { mayBeForeign, refuseForeign } from "./foreign-files.ts";
import { IGNORE_FILE, type IgnoreRules, PATH_LIMIT, readIgnoreRules, SEGMENT_LIMIT } from "./ignore-rules.ts";
import type { Turn } from "./turns.ts";

const MEBIBYTE = 1_048_576;
/** Maximum size of a file, in bytes. */
export const FILE_LIMIT = 4 * MEBIBYTE;
/** Maximum total size of the files of a folder, in bytes. */
export const FOLDER_LIMIT = 64 * MEBIBYTE;
const IGNORE_FILE_LIMIT = 65_536;
const IGNORE_FILES_LIMIT = 200;
/** Maximum number of files that are checked for another tool: the first file of another tool causes an error. */
const MARKERS_LIMIT = 20;

export interface ManifestFile {
  readonly path: string;
  readonly blob: string;
  readonly size: number;
}

/**
 * The files of a folder that are read as manifests: YAML and JSON, except those that `.fairleadignore` excludes and
 * names that begin with a dot, such as `.github`.
 *
 * @throws {SourceError} for symbolic links and submodules that are not excluded, and when a limit is exceeded.
 */
export async function selectFiles(source: SourceFiles, turn: Turn): Promise<readonly ManifestFile[]> {
  const { files, refused } = await turn.waitFor(source.list());
  const rules = await readRules(files, source, turn);
  for (const { path, what } of refused) {
    if (isHidden(path) || (await isIgnored(path, rules, turn))) continue;
    const name = what === "symlink" ? "a symbolic link" : "a submodule";
    throw new SourceError(
      "RenderFailed",
      `${showText(path)}: is ${name}, which is not followed; remove it, or exclude it in ${IGNORE_FILE}`,
    );
  }
  const selected: ManifestFile[] = [];
  const foreign: ManifestFile[] = [];
  let total = 0;
  for (const file of files) {
    if (turn.isOver) await turn.next();
    const isManifest = /\.(?:ya?ml|json)$/.test(file.path);
    const isForeign = mayBeForeign(file.path);
    if ((!isManifest && !isForeign) || isHidden(file.path)) continue;
    if (await isIgnored(file.path, rules, turn)) continue;
    if (isForeign && file.size <= FILE_LIMIT && foreign.length < MARKERS_LIMIT) foreign.push(file);
    if (!isManifest) continue;
    total += file.size;
    refuseSize(file, total);
    selected.push(file);
  }
  // Checked first: the tool's other files are not objects either, and errors about them would not mention the tool.
  await refuseForeignFiles(foreign, source, turn);
  return selected;
}

/** @throws {SourceError} for a folder that is the input of Kustomize or Helm. */
async function refuseForeignFiles(
  files: readonly ManifestFile[],
  source: SourceFiles,
  turn: Turn,
): Promise<void> {
  for (const { path, blob } of files) {
    const contents = await turn.waitFor(source.read([blob]));
    refuseForeign(path, String(contents.get(blob) ?? ""));
  }
}

async function readRules(
  files: readonly ManifestFile[],
  source: SourceFiles,
  turn: Turn,
): Promise<IgnoreRules> {
  const found = files.filter(({ path }) => path === IGNORE_FILE || path.endsWith(`/${IGNORE_FILE}`));
  if (found.length === 0) return readIgnoreRules(new Map());
  const large = found.find(({ size }) => size > IGNORE_FILE_LIMIT);
  if (found.length > IGNORE_FILES_LIMIT || large !== undefined) {
    const where = showText((large ?? found[IGNORE_FILES_LIMIT])?.path ?? "");
    throw new SourceError(
      "RenderLimit",
      `${where}: at most ${IGNORE_FILES_LIMIT} files of this name with ${IGNORE_FILE_LIMIT / 1_024} KiB each are allowed`,
    );
  }
  const contents = await turn.waitFor(source.read(found.map(({ blob }) => blob)));
  return readIgnoreRules(new Map(found.map(({ path, blob }) => [path, String(contents.get(blob) ?? "")])));
}

function isHidden(path: string): boolean {
  return path.startsWith(".") || path.includes("/.");
}

async function isIgnored(path: string, rules: IgnoreRules, turn: Turn): Promise<boolean> {
  const isLong = path.length > PATH_LIMIT || path.split("/").some(({ length }) => length > SEGMENT_LIMIT);
  if (isLong) throw new SourceError("RenderLimit", `${showText(path)}: the name is too long`);
  // 500 patterns on 500 folders of one path take 0.2 s.
  for (const _ of rules.decideFolders(path)) if (turn.isOver) await turn.next();
  return rules.isIgnored(path);
}

function refuseSize({ path, size }: ManifestFile, total: number): void {
  if (size > FILE_LIMIT) {
    throw new SourceError(
      "RenderLimit",
      `${showText(path)}: is larger than ${FILE_LIMIT / MEBIBYTE} MiB; split it, or exclude it in ${IGNORE_FILE}`,
    );
  }
  if (total > FOLDER_LIMIT) {
    throw new SourceError(
      "RenderLimit",
      `the YAML and JSON files of the folder have more than ${FOLDER_LIMIT / MEBIBYTE} MiB in all; split it into several Releases`,
    );
  }
}
