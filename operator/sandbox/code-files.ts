import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** Folders of the operator's own code that processes of zones import. */
const ours = ["operator", "synth", "crds", join("constructs", "delivery")];

/**
 * The files and folders that a process of a zone needs, and nothing else: in an image the folder of its bundle; in the
 * repository and in a package the operator's code, and the packages that it imports.
 *
 * @param worker Path of the program of the process.
 */
export function codeFilesOf(worker: string): readonly string[] {
  if (worker.endsWith(".mjs")) return [dirname(worker)];
  const root = rootOfCode();
  // Node reads package.json for the module type of a file.
  const manifests = foldersAbove(root).map((folder) => join(folder, "package.json"));
  const code = [...ours.map((name) => join(root, name)), ...manifests].filter((path) => existsSync(path));
  return [...code, ...packageFolders()];
}

/** Folders of packages, the nearest one first. */
export function packageFolders(): readonly string[] {
  return foldersAbove(rootOfCode())
    .map((folder) => join(folder, "node_modules"))
    .filter((path) => existsSync(path));
}

/** The repository, or the package's folder of compiled code. */
function rootOfCode(): string {
  return dirname(dirname(import.meta.dirname));
}

function foldersAbove(folder: string): readonly string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...foldersAbove(parent)];
}
