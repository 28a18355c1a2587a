import { join } from "node:path";
import { setTimeout as realTime } from "node:timers/promises";
import {
  createGitPublisher,
  type GitPublisher,
  type GitPublisherOptions,
} from "../../../../operator/git/publish/git-publisher.ts";
import type { LocalCloneOptions } from "../../../../operator/git/publish/local-clone.ts";
import type {
  LeaseTerm,
  Logger,
  PublishedRecord,
  PublishOffer,
  PublishState,
} from "../../../../operator/ports.ts";
import { FakeClock } from "../../../fakes/fake-clock.ts";
import type { FakeGitRemote } from "../../../fakes/git-remote.ts";
import { aPublishService, PublishZoneInProcess } from "../../../fakes/publish-zone.ts";
import { patienceMs } from "../../../patience.ts";

export const leaseOfOurs: LeaseTerm = { leaseUid: "6f1c", transitions: 3 };
export const owner = { cluster: "kube-system-uid", lease: "fairlead/fairlead" };

export interface OfferOptions {
  readonly name?: string;
  readonly generation?: number;
  readonly files?: Readonly<Record<string, string>>;
  readonly last?: PublishedRecord;
  /** Number of renders of the files. */
  readonly onRender?: () => void;
}

/** An offer of `Echo shop/<name>` whose files contain its generation. */
export function anOffer(options: OfferOptions = {}): PublishOffer {
  const { name = "hello", generation = 1, last } = options;
  const files = options.files ?? {
    [`deployment-${name}.yaml`]: `kind: Deployment\ngeneration: ${generation}\n`,
  };
  return {
    owner: { groupKind: "echoes.fairlead.dev", key: `shop/${name}` },
    title: `Echo shop/${name}`,
    generation,
    folder: folderOf(name),
    digest: JSON.stringify(files),
    last,
    render: () => {
      options.onRender?.();
      return new Map(Object.entries(files));
    },
  };
}

export const folderOf = (name: string): string => `shop/echoes.fairlead.dev/${name}`;

/** A publisher on a fake clock, with all its notifications. */
export class PublisherHarness implements AsyncDisposable {
  readonly clock = new FakeClock();
  /** Keys of notified owners, in order. */
  readonly told: string[] = [];
  readonly logged: string[] = [];
  readonly log = recordingLog(this.logged);
  /** Events about the operator. */
  readonly announced: string[] = [];
  readonly publisher: GitPublisher;
  readonly zone: PublishZoneInProcess;

  constructor(remote: FakeGitRemote, overrides: Partial<GitPublisherOptions & LocalCloneOptions> = {}) {
    const clone = {
      repository: remote.path,
      branch: "main",
      root: "",
      credentialsDirectory: undefined,
      cacheDirectory: join(remote.folder, "cache"),
      clock: this.clock,
      // Far longer than any test: fake time passes faster than git runs.
      timeoutMs: 86_400_000,
      ...overrides,
    };
    const { log } = this;
    // The clone of an operator is in a publish zone.
    this.zone = new PublishZoneInProcess(aPublishService(clone, log));
    this.publisher = createGitPublisher({
      clone: this.zone.clone(clone),
      root: clone.root,
      owner,
      version: "0.1.0",
      clock: this.clock,
      random: () => 0.5,
      log,
      fence: { check() {} },
      term: () => leaseOfOurs,
      confirmLeadership: async () => true,
      claimOf: () => "unknown",
      announce: ({ type, reason, action }) => void this.announced.push(`${type} ${reason} ${action}`),
      onChange: (owners) => void this.told.push(...owners.map(({ key }) => key)),
      ...overrides,
    });
  }

  publish(offer: PublishOffer): PublishState {
    return this.publisher.publish(offer);
  }

  /** Advances time, and lets git run, until `condition` holds. */
  async until(condition: () => boolean, { stepMs = 20 } = {}): Promise<void> {
    const endMs = performance.now() + patienceMs;
    while (!condition()) {
      if (performance.now() > endMs)
        throw new Error(
          `it never happened that ${condition}; ${JSON.stringify(this.publisher.stats)}; log: ${this.logged.join(" | ")}`,
        );
      await this.clock.advance(stepMs);
      await realTime(1);
    }
  }

  /** Advances time to the next poll of the remote, and further until `condition` holds. */
  async untilNextPoll(condition: () => boolean = () => true): Promise<void> {
    const { lsRemotes } = this.publisher.stats;
    await this.until(() => this.publisher.stats.lsRemotes > lsRemotes, { stepMs: 1_000 });
    await this.until(condition);
  }

  /** Offers until it is on the branch, as a reconcile after every notification would. */
  async untilPublished(...offers: readonly PublishOffer[]): Promise<PublishedRecord[]> {
    const states = offers.map(() => undefined as PublishState | undefined);
    await this.until(() => {
      for (const [index, offer] of offers.entries()) states[index] = this.publish(offer);
      return states.every((state) => state?.state === "published");
    });
    return states.flatMap((state) => (state?.state === "published" ? [state.record] : []));
  }

  /** Starts, and waits for the first poll of the remote. */
  async started(): Promise<this> {
    this.publisher.start();
    await this.until(() => this.publisher.stats.lsRemotes > 0);
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.publisher.close({ flushMs: 0 });
    await this.zone.close();
  }
}

function recordingLog(lines: string[]): Logger {
  const write = (message: string, fields?: object): void =>
    void lines.push(
      `${message} ${JSON.stringify(fields, (_, value) => (value instanceof Error ? value.stack : value))}`,
    );
  const log: Logger = { debug() {}, info: write, warn: write, error: write, child: () => log };
  return log;
}
