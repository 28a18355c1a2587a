import { namespaceIn } from "../../../crds/object.ts";
import { SourceError, type SourceFailure } from "../../errors.ts";
import type { Leader } from "../../hooks/pass-on.ts";
import { FairSemaphore } from "../../runtime/fair-semaphore.ts";
import type { ReportedIsolation } from "../../sandbox/isolation-report.ts";
import { ZoneAnswerError, ZoneLostError, ZoneUnavailableError } from "../../zones/errors.ts";
import type { Serve } from "../../zones/incoming-requests.ts";
import type { Link } from "../../zones/link.ts";
import type { Message } from "../../zones/messages.ts";
import type { Received, RequestOptions } from "../../zones/outgoing-requests.ts";
import { ZoneClient, type ZoneClientOptions } from "../../zones/zone-client.ts";
import { readIsolation } from "../zone-messages.ts";
import { zoneAuthors } from "./author-list.ts";
import type { GitSources } from "./create-sources.ts";
import { FollowedSources } from "./followed-sources.ts";
import { errorBody, followItem, lastChangeAnswer, SOURCE_ZONE } from "./messages.ts";
import type { RefreshedSource, SourceAnswers, SourceCommit, SourceRequest, SourceState } from "./ports.ts";
import type { SourceStats } from "./repository-options.ts";
import { groupKindIn } from "./tenant.ts";
import { WantSender } from "./want-sender.ts";
import { ZoneCounts } from "./zone-counts.ts";
import { type AskZone, ReadBudget, zoneFiles } from "./zone-files.ts";

export interface ZoneSourcesOptions extends Pick<ZoneClientOptions, "socket" | "clock" | "random" | "log"> {
  /** Finds the leading instance, to which hooks are passed on. Default: this one. */
  readonly leader?: () => Leader;
  /** Called once, when the zone is first needed. */
  readonly onStart?: () => void;
  /** Called with outcomes of hooks, for metrics. */
  readonly observeHook?: (outcome: string, times: number) => void;
  /** The zone reported the kernel isolation of its own process, or of git. */
  readonly onIsolation?: (process: "source" | "git", isolation: ReportedIsolation) => void;
}

/** Largest frame from the zone: a state, or a piece of a file or of a list. */
const limits = { headerBytes: 65_536, parts: 1, bytes: 2 * 2 ** 20 };
/** After this time without a complete connection, resources report that their sources are not polled. */
const STALE_MS = 60_000;
/** How long to wait for a zone that is restarted. */
const PATIENCE_MS = 10_000;
/** Timeout of a read while a clone is fetched again. */
const READ_MS = 300_000;
const SHORT_MS = 10_000;
/** Number of attempts of a read, each over another connection. */
const ATTEMPTS = 3;
/** Maximum number of concurrent requests, in total and for one namespace. */
const QUESTIONS = { permits: 64, perTenant: 16 } as const;

const outage: SourceFailure = {
  reason: "SourceUnreachable",
  message: "Cannot poll the repository: the process that reads git repositories does not respond",
};

/**
 * Sources of resources in the source zone. Answers come from memory; the zone sends states as they change. While the
 * zone is unavailable, the last states stay; afterwards all requests are sent again over the new connection.
 */
export class ZoneSources implements GitSources, SourceAnswers {
  readonly #options: ZoneSourcesOptions;
  readonly #client: ZoneClient;
  /** Differs for each start of the operator. */
  readonly #operator: number;
  readonly #followed: FollowedSources;
  readonly #counts: ZoneCounts;
  readonly #questions = new FairSemaphore(QUESTIONS);
  readonly #budget = new ReadBudget();
  /** Listeners by the kind in a key; "": keys without a kind. */
  readonly #onChange = new Map<string, (keys: readonly string[]) => void>();
  #sender: WantSender | undefined;
  #isStarted = false;
  #cancelOutage: (() => void) | undefined;
  /** Resolves when a connection can be used. */
  #ready = Promise.withResolvers<Link>();

  constructor(options: ZoneSourcesOptions) {
    this.#options = options;
    this.#counts = new ZoneCounts(options.observeHook);
    this.#operator = options.clock.wallClock().getTime();
    this.#followed = new FollowedSources({
      firstNumber: this.#operator,
      revisionOf: (about, key) => ({
        ...about,
        lastChangeOf: (paths) => this.#lastChangeOf(key, about.tree, paths),
        authorsOf: (span) => zoneAuthors(span, { ...about, ask: this.#askFor(key) }),
        files: zoneFiles({ ...about, ask: this.#askFor(key), budget: this.#budget }),
      }),
    });
    const onConnect = (link: Link): void => this.#begin(link);
    this.#client = new ZoneClient({ ...options, zone: SOURCE_ZONE, limits, serve: this.#serve, onConnect });
  }

  get stats(): Readonly<SourceStats> {
    return this.#counts.stats;
  }

  /** Connects to the zone, if that has not happened before. */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#options.onStart?.();
    this.#expectOutage();
    void this.#client.keep();
  }

  /** Calls `onChange` when the answers for resources change: those whose keys name this kind, or by default none. */
  subscribe(onChange: (keys: readonly string[]) => void, groupKind = ""): void {
    this.#onChange.set(groupKind, onChange);
  }

  resolve(request: SourceRequest): SourceState {
    const { state, isNews } = this.#followed.want(request);
    if (isNews) this.#sender?.add(request.key);
    this.start();
    return state;
  }

  known(key: string): SourceState | undefined {
    return this.#followed.stateOf(key);
  }

  forget(key: string): void {
    if (this.#followed.forget(key)) this.#sender?.add(key);
  }

  refresh(of: RefreshedSource): void {
    void this.#request("refresh", { body: of }, { read: () => undefined, deadlineMs: SHORT_MS }).catch(
      // After the next connection all remotes are polled.
      () => undefined,
    );
  }

  async close(): Promise<void> {
    this.#cancelOutage?.();
    this.#sender = undefined;
    this.#client.close();
  }

  /** The zone queries the leading instance, for a hook with a valid signature. */
  readonly #serve: Serve = async ({ name }) => {
    if (name !== "leader") throw new RangeError(`There is no request "${name}"`);
    const leader = this.#options.leader === undefined ? "self" : this.#options.leader();
    return { body: { leader } };
  };

  #expectOutage(): void {
    this.#cancelOutage ??= this.#options.clock.schedule(STALE_MS, () =>
      this.#tell(this.#followed.markAll(outage)),
    );
  }

  #begin(link: Link): void {
    link.follow("follow", { body: { operator: this.#operator } }, (item) => this.#take(item));
    const sender = new WantSender(link, this.#followed.keys, {
      itemOf: (key) => this.#followed.itemOf(key),
      onComplete: () => {
        this.#cancelOutage?.();
        this.#cancelOutage = undefined;
        this.#ready.resolve(link);
      },
    });
    this.#sender = sender;
    void link.closed.then(() => {
      if (this.#sender !== sender) return;
      this.#sender = undefined;
      this.#expectOutage();
      if (sender.isComplete) this.#ready = Promise.withResolvers();
    });
  }

  #take({ body }: Received): void {
    const item = followItem.parse(body);
    if ("counts" in item) this.#counts.take(item);
    else if ("isolation" in item) {
      const { own, git } = readIsolation(item);
      this.#options.onIsolation?.("source", own);
      this.#options.onIsolation?.("git", git);
    } else if (this.#followed.take(item)) this.#tell([item.key]);
  }

  #tell(keys: readonly string[]): void {
    for (const [groupKind, own] of Map.groupBy(keys, groupKindIn)) this.#onChange.get(groupKind)?.(own);
  }

  async #lastChangeOf(key: string, tree: string, paths: readonly string[]): Promise<SourceCommit> {
    const message = { body: { key, tree }, parts: [Buffer.from(paths.join("\0"))] };
    const read = ({ body }: Received): SourceCommit => lastChangeAnswer.parse(body);
    return await this.#request("last-change", message, { read, deadlineMs: SHORT_MS });
  }

  /** Requests files. A namespace with many renders does not delay another one. */
  #askFor(key: string): AskZone {
    return async (name, message, createReader) => {
      const permit = await this.#questions.acquire(namespaceIn(key));
      try {
        for (let attempt = 1; ; attempt++) {
          const reader = createReader();
          try {
            const onItem = (item: Received): void => reader.take(item);
            return await this.#request(name, message, {
              onItem,
              read: () => reader.end(),
              deadlineMs: READ_MS,
            });
          } catch (error) {
            if (error instanceof ZoneLostError && attempt < ATTEMPTS) continue;
            throw error instanceof SourceError ? error : unreadable(error);
          } finally {
            reader.release?.();
          }
        }
      } finally {
        permit.release();
      }
    };
  }

  async #request<Answer>(name: string, message: Message, options: RequestOptions<Answer>): Promise<Answer> {
    const link = await this.#untilReady();
    try {
      return await link.request(name, message, options);
    } catch (error) {
      throw error instanceof ZoneAnswerError ? errorOf(error) : error;
    }
  }

  /** The connection, after the zone has received all requests: then it has the clones. */
  #untilReady(): Promise<Link> {
    const { promise } = this.#ready;
    return new Promise((resolve, reject) => {
      const giveUp = this.#options.clock.schedule(PATIENCE_MS, () =>
        reject(new ZoneUnavailableError(SOURCE_ZONE)),
      );
      void promise.then(resolve).finally(giveUp);
    });
  }
}

/** The error for a failure that the zone reports, limited to the reasons that a zone may report. */
function errorOf({ body }: ZoneAnswerError): Error {
  const { data } = errorBody.safeParse(body);
  if (data?.reason !== undefined) return new SourceError(data.reason, data.message ?? "");
  return new Error("the source zone could not read the clone of a repository; see its log");
}

function unreadable(cause: unknown): SourceError {
  const message = "Cannot read the files: the process that reads git repositories does not respond";
  return new SourceError("SourceUnreachable", message, { cause });
}
