import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = join(import.meta.dirname, "..", "..");

/** Folder for older builds. It is below node_modules, so that they find our libraries, which include all of their dependencies. */
const cache = join(root, "node_modules", ".cache", "fairlead-older-builds");

/** Why a commit of the history cannot be built here; undefined if it can. */
export async function missingBecause(commit: string): Promise<string | undefined> {
  const isThere = await run("git", ["cat-file", "-e", `${commit}^{commit}`], { cwd: root }).then(
    () => true,
    () => false,
  );
  if (isThere) return undefined;
  return `this clone has no commit ${commit}; a complete one has it (git fetch --unshallow)`;
}

/** The program `fairlead` of a commit, packed as by npm and unpacked as in an installation. Created once per clone. */
export async function buildOf(commit: string): Promise<string> {
  const folder = join(cache, commit);
  const program = join(folder, "cli", "fairlead.js");
  if (existsSync(program)) return program;
  const draft = await mkdtemp(join(tmpdir(), "fairlead-older-build-"));
  try {
    const sources = join(draft, "sources");
    await mkdir(sources);
    const archive = join(draft, "sources.tar");
    await run("git", ["archive", `--output=${archive}`, commit], { cwd: root });
    await run("tar", ["-xf", archive, "-C", sources]);
    await symlink(join(root, "node_modules"), join(sources, "node_modules"));
    // Build without the launcher of the sandbox, which needs Go. The requests do not depend on it.
    const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
    await run(process.execPath, [compiler, "-p", "cli/tsconfig.package.json"], { cwd: sources });
    await run("npm", ["pack", "--ignore-scripts", "--pack-destination", draft], { cwd: sources });
    await mkdir(cache, { recursive: true });
    const unpacked = await mkdtemp(join(cache, "draft-"));
    await run("tar", ["-xzf", join(draft, "fairlead-0.1.0.tgz"), "-C", unpacked, "--strip-components=1"]);
    // Another run may have created it first.
    await rename(unpacked, folder).catch(() => rm(unpacked, { recursive: true, force: true }));
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return program;
}
