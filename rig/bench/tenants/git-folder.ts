import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { runGit } from "../releases/source-repository.ts";

/** A bare repository, and a work tree that is pushed to it. */
export class GitFolder {
  readonly path: string;
  readonly #workTree: string;

  private constructor(folder: string, name: string) {
    this.path = join(folder, `${name}.git`);
    this.#workTree = join(folder, name);
  }

  static async create(folder: string, name: string): Promise<GitFolder> {
    const made = new GitFolder(folder, name);
    for (const [path, words] of [
      [made.path, ["--bare"]],
      [made.#workTree, []],
    ] as const)
      await runGit(folder, ["init", "--quiet", "--initial-branch=main", ...words, path]);
    return made;
  }

  get url(): string {
    return `file://${this.path}`;
  }

  /** Commits files and pushes them. Resolves when the repository has taken the push. */
  async push(files: Readonly<Record<string, string>>): Promise<void> {
    await this.commit(files);
    await this.pushCommits();
  }

  async commit(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [path, text] of Object.entries(files)) {
      const file = join(this.#workTree, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    }
    const who = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.dev", "-c", "gc.auto=0"];
    await runGit(this.#workTree, ["add", "--all"]);
    await runGit(this.#workTree, [...who, "commit", "--quiet", "--message=Change"]);
  }

  /** Resolves when the repository has taken the push. */
  async pushCommits(): Promise<void> {
    await runGit(this.#workTree, ["push", "--quiet", this.path, "HEAD:main"]);
  }

  /** Refuses pushes to branches whose names begin with a text. */
  async refuse(branches: string): Promise<void> {
    const hook = join(this.path, "hooks", "update");
    await mkdir(dirname(hook), { recursive: true });
    await writeFile(hook, `#!/bin/sh\ncase "$1" in refs/heads/${branches}*) exit 1;; esac\n`);
    await chmod(hook, 0o755);
  }
}
