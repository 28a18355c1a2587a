import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmod, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

const environment = {
  PATH: "/usr/local/bin:/usr/bin:/bin",
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
};

/** A bare repository that misbehaves. Unlike the one of the unit tests it never holds the event loop: a proxy runs on it. */
export class GitServer {
  readonly path: string;
  /** First on the PATH of the operators: a git that may spoil what a fetch brings. */
  readonly commandFolder: string;
  readonly #folder: string;
  readonly #hangMark: string;
  readonly #corruptMark: string;
  /** Commits of others that landed. */
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

  /** Somebody else's commit on what is there; `undefined` deletes a file. Gives false when somebody was faster. */
  async commitByOthers(files: Readonly<Record<string, string | undefined>>): Promise<boolean> {
    const parent = await this.head();
    let stream = `commit refs/heads/main\ncommitter Somebody <s@example.dev> 1700000000 +0000\ndata 7\nBy hand\n`;
    if (parent !== undefined) stream += `from ${parent}\n`;
    for (const [path, content] of Object.entries(files)) {
      if (content === undefined) stream += `D ${path}\n`;
      else stream += `M 100644 inline ${path}\ndata ${Buffer.byteLength(content)}\n${content}\n`;
    }
    // Two of them may be at it at the same time.
    const marks = join(this.#folder, `marks-${crypto.randomUUID()}`);
    try {
      // Refuses to move a branch that has moved on meanwhile.
      await this.git(
        ["fast-import", "--quiet", `--export-marks=${marks}`],
        stream.replace("\n", "\nmark :1\n"),
      );
    } catch {
      return false;
    }
    // `:1 <id>`: the branch may have moved on since.
    const [, id = ""] = (await readFile(marks, "utf8")).trim().split(" ");
    this.foreign.push(id);
    return true;
  }

  async refusePushes(): Promise<void> {
    await this.#hook("pre-receive", `echo "The branch is frozen" >&2; exit 1`);
  }

  /** Pushes wait for as long as this lasts, and are refused then. */
  async hangPushes(): Promise<void> {
    await writeFile(this.#hangMark, "");
    await this.#hook("pre-receive", `while [ -e '${this.#hangMark}' ]; do sleep 0.05; done; exit 1`);
  }

  async loseAnswers(): Promise<void> {
    await this.#hook("post-receive", "kill -9 $PPID");
  }

  async vanish(): Promise<void> {
    await rename(this.path, `${this.path}.away`).catch(() => undefined);
  }

  /** What the remote sends is garbage after so many bytes. */
  async corruptFetches(bytes: number): Promise<void> {
    await writeFile(this.#corruptMark, String(bytes));
  }

  /** Everything works again. */
  async heal(): Promise<void> {
    await rename(`${this.path}.away`, this.path).catch(() => undefined);
    for (const mark of [this.#hangMark, this.#corruptMark]) await rm(mark, { force: true });
    for (const hook of ["pre-receive", "post-receive"])
      await rm(join(this.path, "hooks", hook), { force: true });
  }

  async #hook(name: string, script: string): Promise<void> {
    // In one step: a hook that is half written would be run.
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
