import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const environment = {
  PATH: "/usr/local/bin:/usr/bin:/bin",
  HOME: tmpdir(),
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "Somebody",
  GIT_AUTHOR_EMAIL: "somebody@example.dev",
  GIT_COMMITTER_NAME: "Somebody",
  GIT_COMMITTER_EMAIL: "somebody@example.dev",
};

interface CommitPlace {
  readonly message: string;
  readonly branch: string;
  readonly parent: string | undefined;
  readonly force?: boolean;
  readonly author?: string | undefined;
}

/** A real bare repository on disk. It can reject pushes, hang, be removed, or receive commits of other users. */
export class FakeGitRemote implements Disposable {
  /** Temporary folder of the test, with the repository and possibly a cache. */
  readonly folder = mkdtempSync(join(tmpdir(), "fairlead-test-"));
  readonly path = join(this.folder, "remote.git");
  /** Created by a hook that hangs. Hooks may only write beside the branches. */
  readonly hangMark = join(this.path, "hanging");

  constructor({ format = "sha1" }: { readonly format?: "sha1" | "sha256" } = {}) {
    execFileSync("git", ["init", "--quiet", "--bare", `--object-format=${format}`, this.path], {
      env: environment,
    });
  }

  /** Runs git in the repository and returns its output. */
  git(command: readonly string[], input = ""): string {
    return execFileSync("git", command, { cwd: this.path, env: environment, input, encoding: "utf8" });
  }

  head(branch = "main"): string | undefined {
    return this.git(["for-each-ref", "--format=%(objectname)", `refs/heads/${branch}`]).trim() || undefined;
  }

  /** Number of commits that are on the branch. */
  commits(branch = "main"): number {
    return this.head(branch) === undefined ? 0 : Number(this.git(["rev-list", "--count", branch]));
  }

  /** Paths of all files on the branch, sorted. */
  paths(branch = "main"): string[] {
    if (this.head(branch) === undefined) return [];
    return this.git(["ls-tree", "-r", "-z", "--name-only", branch]).split("\0").filter(Boolean);
  }

  read(path: string, branch = "main"): string {
    return this.git(["cat-file", "blob", `${branch}:${path}`]);
  }

  message(commit = "main"): string {
    return this.git(["log", "-1", "--format=%B", commit]);
  }

  /**
   * Another user's commit; `undefined` deletes a file or folder.
   *
   * @param options.author `Ada <ada@example.dev>`; default: the committer.
   * @throws If the branch has moved in the meantime, like a rejected push, so that no commit is lost.
   */
  commitByOthers(
    files: Readonly<Record<string, string | undefined>>,
    {
      message = "By hand",
      branch = "main",
      author,
    }: { readonly message?: string; readonly branch?: string; readonly author?: string } = {},
  ): string {
    const parent = this.head(branch);
    return this.#commit(files, { message, branch, parent, author });
  }

  /** A commit on top of another one; the branch `aside` is set to it. */
  commitOn(parent: string, files: Readonly<Record<string, string | undefined>>, message = "By hand"): string {
    return this.#commit(files, { message, branch: "aside", parent, force: true });
  }

  #commit(
    files: Readonly<Record<string, string | undefined>>,
    { message, branch, parent, force = false, author }: CommitPlace,
  ): string {
    const by = author === undefined ? "" : `author ${author} 1700000000 +0000\n`;
    let stream = `commit refs/heads/${branch}\n${by}committer Somebody <s@example.dev> 1700000000 +0000\n`;
    stream += `data ${Buffer.byteLength(message)}\n${message}\n${parent === undefined ? "" : `from ${parent}\n`}`;
    for (const [path, content] of Object.entries(files)) {
      if (content === undefined) stream += `D ${path}\n`;
      else stream += `M 100644 inline ${path}\ndata ${Buffer.byteLength(content)}\n${content}\n`;
    }
    this.git(["fast-import", "--quiet", ...(force ? ["--force"] : [])], stream);
    return this.head(branch) ?? "";
  }

  resetTo(commit: string, branch = "main"): void {
    this.git(["update-ref", `refs/heads/${branch}`, commit]);
  }

  /** Every push is rejected with this message. */
  refusePushes(words: string): void {
    this.#hook(`echo refused >> '${this.#refusalsPath}'; echo "${words}" >&2; exit 1`);
  }

  /** Number of pushes that {@link refusePushes} has rejected. */
  get refusals(): number {
    return existsSync(this.#refusalsPath)
      ? readFileSync(this.#refusalsPath, "utf8").split("\n").length - 1
      : 0;
  }

  get #refusalsPath(): string {
    return join(this.path, "refusals");
  }

  /** Every push hangs until it is killed; the first one creates `hangMark`. */
  hangPushes(): void {
    this.#hook(`touch '${this.hangMark}'; exec sleep 600`);
  }

  /** Every push hangs while it holds the lock of the branch; the first one creates `hangMark`. */
  hangLocked(): void {
    this.#hook(
      `[ "$1" = prepared ] || exit 0; touch '${this.hangMark}'; exec sleep 600`,
      "reference-transaction",
    );
  }

  /** Existing locks of branches. */
  locks(): string[] {
    return readdirSync(join(this.path, "refs", "heads")).filter((name) => name.endsWith(".lock"));
  }

  /** Every push succeeds, but its response is lost. */
  loseAnswers(): void {
    writeFileSync(join(this.path, "hooks", "post-receive"), "#!/bin/sh\nkill -9 $PPID\n");
    chmodSync(join(this.path, "hooks", "post-receive"), 0o755);
  }

  /** Runs `script` before every push is accepted. */
  beforePush(script: string): void {
    this.#hook(script);
  }

  behave(): void {
    if (existsSync(`${this.path}.away`)) renameSync(`${this.path}.away`, this.path);
    for (const hook of ["pre-receive", "post-receive", "reference-transaction"])
      rmSync(join(this.path, "hooks", hook), { force: true });
    rmSync(this.hangMark, { force: true });
  }

  vanish(): void {
    renameSync(this.path, `${this.path}.away`);
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  #hook(script: string, name = "pre-receive"): void {
    const hook = join(this.path, "hooks", name);
    writeFileSync(hook, `#!/bin/sh\n${script}\n`);
    chmodSync(hook, 0o755);
  }
}
