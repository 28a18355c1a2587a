import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { renameSync, rmSync } from "node:fs";
import { chmod, mkdir, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const environment = {
  PATH: "/usr/local/bin:/usr/bin:/bin",
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
};

/** The locks of git for an update of `main`, in this order. */
const branchLocks = ["refs/heads/main.lock", "HEAD.lock"];
/** Maximum wait for a lock. It is longer than an update of a branch on a busy machine. */
const lockMs = 10_000;

/** A bare repository with faults. Unlike the one of the unit tests it never blocks the event loop, on which a proxy runs. */
export class GitServer {
  readonly path: string;
  /** First folder on the PATH of the operators. It contains a git that may corrupt the data of a fetch. */
  readonly commandFolder: string;
  readonly #folder: string;
  readonly #hangMark: string;
  readonly #corruptMark: string;
  /** Accepted commits of other users. */
  readonly foreign: string[] = [];

  private constructor(folder: string) {
    this.#folder = folder;
    this.path = join(folder, "remote.git");
    this.commandFolder = join(folder, "bin");
    this.#hangMark = join(folder, "hang");
    this.#corruptMark = join(folder, "corrupt");
  }

  static async create(folder: string): Promise<GitServer> {
    const server = new GitServer(folder);
    await mkdir(server.commandFolder, { recursive: true });
    await run(["init", "--quiet", "--bare", "--initial-branch=main", server.path], folder);
    await server.#writeCommands();
    return server;
  }

  git(command: readonly string[], input = ""): Promise<string> {
    return run(command, this.path, input);
  }

  async head(): Promise<string | undefined> {
    return (
      (await this.git(["for-each-ref", "--format=%(objectname)", "refs/heads/main"])).trim() || undefined
    );
  }

  /** Commits to the branch as another user; `undefined` deletes a file. Returns false if there was another commit first. */
  async commitByOthers(files: Readonly<Record<string, string | undefined>>): Promise<boolean> {
    const parent = await this.head();
    let stream = `commit refs/heads/main\ncommitter Somebody <s@example.dev> 1700000000 +0000\ndata 7\nBy hand\n`;
    if (parent !== undefined) stream += `from ${parent}\n`;
    for (const [path, content] of Object.entries(files)) {
      if (content === undefined) stream += `D ${path}\n`;
      else stream += `M 100644 inline ${path}\ndata ${Buffer.byteLength(content)}\n${content}\n`;
    }
    // Two calls may run at the same time.
    const marks = join(this.#folder, `marks-${crypto.randomUUID()}`);
    try {
      // git rejects the update if the branch has changed in the meantime.
      await this.git(
        ["fast-import", "--quiet", `--export-marks=${marks}`],
        stream.replace("\n", "\nmark :1\n"),
      );
    } catch {
      return false;
    }
    // The line is `:1 <id>`. Do not read the branch, which may have changed since then.
    const [, id = ""] = (await readFile(marks, "utf8")).trim().split(" ");
    this.foreign.push(id);
    return true;
  }

  /** Commits as the only user who pushes. */
  async commitByOnlyUser(files: Readonly<Record<string, string | undefined>>): Promise<void> {
    if (!(await this.commitByOthers(files)))
      throw new Error("Cannot push: the branch has changed, although no other user pushes");
  }

  async refusePushes(): Promise<void> {
    await this.#hook("pre-receive", `echo "The branch is frozen" >&2; exit 1`);
  }

  /** Makes pushes wait until the end of the fault, and then rejects them. */
  async hangPushes(): Promise<void> {
    await writeFile(this.#hangMark, "");
    await this.#hook("pre-receive", `while [ -e '${this.#hangMark}' ]; do sleep 0.05; done; exit 1`);
  }

  async loseAnswers(): Promise<void> {
    await this.#hook("post-receive", "kill -9 $PPID");
  }

  async vanish(): Promise<void> {
    await this.#move(this.path, `${this.path}.away`);
  }

  /** Corrupts the remote's response after this number of bytes. */
  async corruptFetches(bytes: number): Promise<void> {
    await writeFile(this.#corruptMark, String(bytes));
  }

  /** Ends all faults. */
  async heal(): Promise<void> {
    await this.#move(`${this.path}.away`, this.path);
    for (const mark of [this.#hangMark, this.#corruptMark]) await rm(mark, { force: true });
    for (const hook of ["pre-receive", "post-receive"])
      await rm(join(this.path, "hooks", hook), { force: true });
  }

  /**
   * Renames the repository, if it exists, while no process updates the branch. git removes its lock files by absolute path, so it
   * would not find a moved lock, and no push could update the branch again.
   */
  async #move(from: string, to: string): Promise<void> {
    for (const lock of branchLocks) if (!(await takeLock(join(from, lock)))) return;
    // Use one synchronous call, so that no other code of this process moves it back in between.
    renameSync(from, to);
    for (const lock of branchLocks) rmSync(join(to, lock));
  }

  async #hook(name: string, script: string): Promise<void> {
    // Write a draft and rename it, so that git never runs an incomplete hook.
    const draft = join(this.#folder, `${name}.${randomUUID()}`);
    await writeScript(draft, script);
    await rename(draft, join(this.path, "hooks", name)).catch(() => undefined);
  }

  async #writeCommands(): Promise<void> {
    const spoiled = join(this.commandFolder, "spoiled-upload-pack");
    const mark = this.#corruptMark;
    await writeScript(
      spoiled,
      `git-upload-pack "$@" | { head -c "$(cat '${mark}' 2>/dev/null || echo 0)"; tr 'a-y0-8' 'b-z1-9'; }`,
    );
    await writeScript(
      join(this.commandFolder, "git"),
      `PATH="\${PATH#*:}"
if [ -e '${mark}' ]; then
  for word in "$@"; do
    shift
    set -- "$@" "$word"
    [ "$word" = fetch ] && set -- "$@" '--upload-pack=${spoiled}'
  done
fi
exec git "$@"`,
    );
  }
}

/** Creates a lock file like git, when no other process has it. @returns Whether its folder exists. */
async function takeLock(path: string): Promise<boolean> {
  const started = performance.now();
  for (;;) {
    try {
      await (await open(path, "wx")).close();
      return true;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOENT") return false;
      if (code !== "EEXIST" || performance.now() - started > lockMs) throw error;
      await sleep(5);
    }
  }
}

async function writeScript(path: string, script: string): Promise<void> {
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
}

function run(command: readonly string[], cwd: string, input = ""): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const options = { cwd, env: environment, maxBuffer: 64 * 1024 ** 2 };
  const child = execFile("git", command, options, (error, stdout, stderr) =>
    error === null
      ? resolve(stdout)
      : reject(new Error(`git ${command.join(" ")}: ${stderr}`, { cause: error })),
  );
  child.stdin?.on("error", () => {});
  child.stdin?.end(input);
  return promise;
}
