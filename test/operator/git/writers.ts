import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { createGitPublisher, type GitPublisher } from "../../../operator/git/publish/git-publisher.ts";
import { systemClock } from "../../../operator/runtime/clock.ts";
import type { FakeGitRemote } from "../../fakes/git-remote.ts";
import { aPublishService, PublishZoneInProcess } from "../../fakes/publish-zone.ts";
import { RecordingLogger } from "../../fakes/recording-logger.ts";
import { anOffer, folderOf, leaseOfOurs, owner } from "./publish/publisher-harness.ts";

/** A writer that pushes one change after the other to a branch with other writers. */
export interface Writer extends AsyncDisposable {
  readonly name: string;
  /** Resolves when the branch has the change. */
  write(count: number): Promise<void>;
  /** Path and text of the file that `write(count)` leaves on the branch. */
  fileOf(count: number): { readonly path: string; readonly text: string };
}

/** An operator: the publisher on the real clock, with a root and a clone of its own. */
export class OperatorWriter implements Writer {
  readonly name: string;
  readonly publisher: GitPublisher;
  readonly log = new RecordingLogger();
  #wake = (): void => {};

  readonly #zone: PublishZoneInProcess;

  constructor(remote: FakeGitRemote, name: string) {
    this.name = name;
    const options = {
      repository: remote.path,
      credentialsDirectory: undefined,
      cacheDirectory: join(remote.folder, `cache-${name}`),
      clock: systemClock(),
      environment: process.env,
    };
    this.#zone = new PublishZoneInProcess(aPublishService(options, this.log));
    this.publisher = createGitPublisher({
      clone: this.#zone.clone({ branch: "main", root: name }),
      root: name,
      owner,
      version: "0.1.0",
      clock: systemClock(),
      random: Math.random,
      log: this.log,
      fence: { check() {} },
      term: () => leaseOfOurs,
      confirmLeadership: async () => true,
      claimOf: () => "unknown",
      onChange: () => this.#wake(),
    });
    this.publisher.start();
  }

  async write(count: number): Promise<void> {
    const offer = anOffer({ name: `e${count}`, generation: count });
    for (;;) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      if (this.publisher.publish(offer).state === "published") return;
      await promise;
    }
  }

  fileOf(count: number): { path: string; text: string } {
    return {
      path: `${this.name}/${folderOf(`e${count}`)}/deployment-e${count}.yaml`,
      text: `kind: Deployment\ngeneration: ${count}\n`,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.publisher.close({ flushMs: 0 });
    await this.#zone.close();
  }
}

/** A user: a clone with a work tree, `git push`, and `git pull --rebase` whenever another push was first. */
export class PersonWriter implements Writer {
  readonly name: string;
  /** Number of rejected pushes. */
  late = 0;
  readonly #folder: string;

  private constructor(name: string, folder: string) {
    this.name = name;
    this.#folder = folder;
  }

  /** The branch must exist. */
  static async join(remote: FakeGitRemote, name: string): Promise<PersonWriter> {
    const person = new PersonWriter(name, join(remote.folder, name));
    await git(remote.folder, ["clone", "--quiet", "--branch=main", remote.path, person.#folder]);
    return person;
  }

  async write(count: number): Promise<void> {
    const { path, text } = this.fileOf(count);
    await writeFile(join(this.#folder, path), text);
    await this.#git(["add", path]);
    await this.#git(["commit", "--quiet", `--message=${this.name} ${count}`]);
    while (!(await this.#isPushed())) {
      this.late += 1;
      await this.#git(["pull", "--quiet", "--rebase", "origin", "main"]);
    }
  }

  fileOf(count: number): { path: string; text: string } {
    return { path: `${this.name}-${count}.txt`, text: `${this.name} ${count}\n` };
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  async #isPushed(): Promise<boolean> {
    try {
      await this.#git(["push", "--quiet", "origin", "HEAD:main"]);
      return true;
    } catch (error) {
      const { stderr = "" } = error as { readonly stderr?: string };
      if (/\[(remote )?rejected\]|failed to update ref|cannot lock ref/.test(stderr)) return false;
      throw error;
    }
  }

  async #git(command: readonly string[]): Promise<void> {
    await git(this.#folder, command);
  }
}

async function git(cwd: string, command: readonly string[]): Promise<void> {
  const who = { NAME: "Somebody", EMAIL: "somebody@example.dev" };
  const env = {
    PATH: process.env["PATH"] ?? "/usr/bin:/bin",
    HOME: cwd,
    LC_ALL: "C",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    ...Object.fromEntries(
      ["AUTHOR", "COMMITTER"].flatMap((role) =>
        Object.entries(who).map(([what, value]) => [`GIT_${role}_${what}`, value]),
      ),
    ),
  };
  await promisify(execFile)("git", ["-c", "gc.auto=0", ...command], { cwd, env });
}
