import { join } from "node:path";
import { setTimeout as realTime } from "node:timers/promises";
import type { ReleaseSpec } from "../../../../crds/release.ts";
import {
  type CreateSourcesOptions,
  createSources,
  type GitSources,
} from "../../../../operator/git/source/create-sources.ts";
import type { SourceRequest, SourceRevision, SourceState } from "../../../../operator/git/source/ports.ts";
import { FakeClock } from "../../../fakes/fake-clock.ts";
import type { FakeGitRemote } from "../../../fakes/git-remote.ts";
import { RecordingLogger } from "../../../fakes/recording-logger.ts";

/** The options of a request; the defaults are: branch main, the root, a poll a minute. */
export interface AskOptions {
  readonly url?: string;
  readonly ref?: ReleaseSpec["source"]["ref"];
  readonly path?: string;
  readonly revision?: string;
  readonly intervalMs?: number;
  readonly credentials?: Readonly<Record<string, string>>;
  readonly signers?: Readonly<Record<string, string>>;
  readonly requestedAt?: string;
  readonly repositoryBytes?: number;
}

/** Sources with a fake clock over a real repository, with all their notifications. */
export class SourcesHarness implements AsyncDisposable {
  readonly clock = new FakeClock();
  /** Keys that were notified, in order. */
  readonly told: string[] = [];
  readonly log = new RecordingLogger();
  readonly sources: GitSources;
  readonly #remote: FakeGitRemote;

  constructor(remote: FakeGitRemote, overrides: Partial<CreateSourcesOptions> = {}) {
    this.#remote = remote;
    this.sources = createSources({
      cacheDirectory: join(remote.folder, "cache"),
      clock: this.clock,
      random: () => 0.5,
      log: this.log,
      environment: { PATH: process.env["PATH"] },
      allowFile: true,
      // Far longer than any test: fake time passes faster than git runs.
      timeoutMs: 86_400_000,
      onChange: (keys) => void this.told.push(...keys),
      ...overrides,
    });
  }

  request(key: string, options: AskOptions = {}): SourceRequest {
    const { url = `file://${this.#remote.path}`, ref = { branch: "main" }, path = "." } = options;
    const { credentials, signers } = options;
    return {
      key,
      source: { url, ref, path },
      revision: options.revision,
      intervalMs: options.intervalMs ?? 60_000,
      credentials: credentials === undefined ? undefined : new Map(Object.entries(credentials)),
      signers: signers === undefined ? undefined : new Map(Object.entries(signers)),
      requestedAt: options.requestedAt,
      repositoryBytes: options.repositoryBytes,
    };
  }

  ask(key: string, options: AskOptions = {}): SourceState {
    return this.sources.resolve(this.request(key, options));
  }

  /** Advances time, and lets git run, until `condition` holds. */
  async until(condition: () => boolean, { stepMs = 20 } = {}): Promise<void> {
    const endMs = performance.now() + 200_000;
    while (!condition()) {
      if (performance.now() > endMs) {
        const log = this.log.entries.map((entry) => JSON.stringify(entry)).join("\n");
        throw new Error(`it never happened that ${condition}; ${JSON.stringify(this.sources.stats)}\n${log}`);
      }
      await this.clock.advance(stepMs);
      await realTime(1);
    }
  }

  /** Requests the source until the answer satisfies `holds`. */
  async answer(
    key: string,
    options: AskOptions = {},
    holds: (state: SourceState) => boolean = ({ state }) => state !== "pending",
  ): Promise<SourceState> {
    let state = this.ask(key, options);
    await this.until(() => {
      state = this.ask(key, options);
      return holds(state);
    });
    return state;
  }

  /** The same for a ready state. */
  async ready(
    key: string,
    options: AskOptions = {},
    holds: (revision: SourceRevision) => boolean = () => true,
  ): Promise<SourceRevision> {
    const state = await this.answer(key, options, (it) => it.state === "ready" && holds(it.revision));
    if (state.state !== "ready") throw new Error("it is not ready");
    return state.revision;
  }

  /** Advances time until the next poll has finished. */
  async untilNextPoll({ stepMs = 1_000 } = {}): Promise<void> {
    const { polls } = this.sources.stats;
    await this.until(() => this.sources.stats.polls > polls, { stepMs });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.sources.close();
  }
}

/** Contents of all files by path. */
export async function readAll(revision: SourceRevision): Promise<Record<string, string>> {
  const { files } = await revision.files.list();
  const contents = await revision.files.read(files.map(({ blob }) => blob));
  return Object.fromEntries(files.map(({ path, blob }) => [path, contents.get(blob)?.toString() ?? "?"]));
}
