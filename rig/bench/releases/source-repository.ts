import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { type BadName, badFileOf, badReleases } from "./bad-releases.ts";
import { filesOf, programOf, setName } from "./set-files.ts";

/** The repository of the Releases, and the clone of a user who pushes. */
export class SourceRepository {
  readonly path: string;
  readonly #workTree: string;

  private constructor(folder: string) {
    this.path = join(folder, "source.git");
    this.#workTree = join(folder, "source");
  }

  /** Creates the repository with a folder per set and the program, in one commit. */
  static async create(folder: string, sets: number): Promise<SourceRepository> {
    const repository = new SourceRepository(folder);
    await runGit(folder, ["init", "--quiet", "--bare", "--initial-branch=main", repository.path]);
    await runGit(folder, ["init", "--quiet", "--initial-branch=main", repository.#workTree]);
    for (let index = 0; index < sets; index += 1) await repository.#writeSet(index, "v1");
    await repository.#writeProgram(1);
    for (const name of Object.keys(badReleases) as BadName[]) await repository.#write(...badFileOf(name, 0));
    await repository.#run(["remote", "add", "origin", repository.path]);
    await repository.#push("Begin");
    return repository;
  }

  get url(): string {
    return `file://${this.path}`;
  }

  /** Resolves when the repository has accepted the push. */
  async pushSet(
    index: number,
    version: string,
    [path, text]: readonly [path: string, text: string] | [] = [],
  ): Promise<void> {
    await this.#writeSet(index, version);
    if (path !== undefined && text !== undefined) await this.#write(path, text);
    await this.#push(`Set ${setName(index)} to ${version}`);
  }

  async pushProgram(version: number): Promise<void> {
    await this.#writeProgram(version);
    await this.#push(`Set the program to ${version}`);
  }

  async #writeSet(index: number, version: string): Promise<void> {
    for (const [name, text] of Object.entries(filesOf(index, version)))
      await this.#write(`sets/${setName(index)}/${name}`, text);
  }

  async #writeProgram(version: number): Promise<void> {
    await this.#write("program/main.ts", programOf(version));
  }

  async #write(path: string, text: string): Promise<void> {
    const file = join(this.#workTree, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }

  async #push(message: string): Promise<void> {
    await this.#run(["add", "--all"]);
    await this.#run(["commit", "--quiet", `--message=${message}`]);
    await this.#run(["push", "--quiet", "origin", "HEAD:main"]);
  }

  async #run(command: readonly string[]): Promise<void> {
    const who = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.dev"];
    await runGit(this.#workTree, [...who, "-c", "gc.auto=0", ...command]);
  }
}

/** Runs git in a folder, without the settings of the machine. */
export async function runGit(directory: string, command: readonly string[]): Promise<void> {
  const env = { ...process.env, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" };
  await promisify(execFile)("git", command, { cwd: directory, env, maxBuffer: 64 * 1024 ** 2 });
}
