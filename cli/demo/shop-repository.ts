import { execFile } from "node:child_process";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { findSamples } from "./samples.ts";

export interface ShopRepository {
  /** The bare repository, to push to. */
  readonly path: string;
  /** A clone with a work tree, to edit in. */
  readonly workTree: string;
}

/** Creates a git repository of the sample shop, with one commit on `main`, and a clone of it. */
export async function createShopRepository(folder: string): Promise<ShopRepository> {
  const path = join(folder, "shop.git");
  const workTree = join(folder, "shop");
  await git(folder, ["init", "--quiet", "--bare", "--initial-branch=main", path]);
  await git(folder, ["init", "--quiet", "--initial-branch=main", workTree]);
  await cp(join(findSamples(), "shop"), workTree, { recursive: true });
  const settings: readonly (readonly [string, string])[] = [
    // The user's git may have no identity, or unsuitable settings.
    ["user.name", "Demo User"],
    ["user.email", "demo-user@example.dev"],
    ["commit.gpgSign", "false"],
    ["core.hooksPath", "/dev/null"],
    ["push.default", "current"],
  ];
  for (const [key, value] of settings) await git(workTree, ["config", key, value]);
  await git(workTree, ["remote", "add", "origin", path]);
  await git(workTree, ["add", "--all"]);
  await git(workTree, ["commit", "--quiet", "--message=Open the shop"]);
  await git(workTree, ["push", "--quiet", "--set-upstream", "origin", "main"]);
  return { path, workTree };
}

async function git(directory: string, command: readonly string[]): Promise<void> {
  await promisify(execFile)("git", command, { cwd: directory });
}
