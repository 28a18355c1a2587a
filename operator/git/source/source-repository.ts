import { namespaceIn } from "../../../crds/object.ts";
import type { SourceFailure } from "../../errors.ts";
import { GitProcesses } from "../git-process.ts";
import { redact } from "../redact.ts";
import { RemoteSchedule } from "../remote-schedule.ts";
import { AuthorFinder } from "./author-finder.ts";
import { DuePoll } from "./due-poll.ts";
import { FetchedClone, type Poll } from "./fetched-clone.ts";
import type { Standing } from "./poll-permits.ts";
import type { SourceState } from "./ports.ts";
import { RefWatch } from "./ref-watch.ts";
import type { SourceRepositoryOptions } from "./repository-options.ts";
import { SignatureCheck } from "./signature-check.ts";
import {
  awaitedCommits,
  type Client,
  giveAnswers,
  hasUnasked,
  isSettled,
  mayBeOld,
  newClient,
  noteAsked,
  noteHandled,
  shortestInterval,
  wishesOf,
} from "./source-client.ts";
import { SourceClone } from "./source-clone.ts";
import { SourceHeads } from "./source-heads.ts";
import { SourcePlaces } from "./source-places.ts";
import { SourceRemote } from "./source-remote.ts";
import { isSamePlace, SourceRevisions, type Want } from "./source-revisions.ts";
import type { RefWish } from "./source-wish.ts";

type Clients = readonly (readonly [key: string, client: Client])[];
/** `startedMs`: when the poll began, on the clock. */
type Evaluation = { readonly onlyPending?: boolean; readonly startedMs?: number | undefined };

/** Maximum backoff for a remote that fails: with an interval of a day, retries do not wait a day. */
const backoff = { initialMs: 2_000, factor: 2, capMs: 60_000, jitter: 0.2 };

/** One remote with one set of credentials: its clone, its schedule, and the resources that use it. */
export class SourceRepository {
  readonly #options: SourceRepositoryOptions;
  readonly #processes: GitProcesses;
  readonly #fetched: FetchedClone;
  readonly #revisions: SourceRevisions;
  readonly #schedule: RemoteSchedule;
  readonly #watch: RefWatch | undefined;
  readonly #clients = new Map<string, Client>();
  #poll: Poll = { targets: new Map(), outage: undefined };
  /** Refs that the running poll requests. */
  #asking: ReadonlyMap<string, RefWish> = new Map();
  readonly #due = new DuePoll();
  #standing: Standing = "new";
  #evaluation: Promise<void> = Promise.resolve();
  #cancelGather: (() => void) | undefined;
  #isClosed = false;

  constructor(options: SourceRepositoryOptions) {
    this.#options = options;
    const { remote, secret, base, clock, random, environment, limits, disk, stats } = options;
    const processes = new GitProcesses(options);
    this.#processes = processes;
    const sourceRemote = new SourceRemote({ remote, secret, processes, clock, environment, limits, disk });
    this.#fetched = new FetchedClone({
      ...options,
      open: () => SourceClone.open({ base, processes, clock, environment }),
      heads: new SourceHeads({ remote: sourceRemote, limits, clock, stats }),
      onSuspicion: () => this.#ask(),
    });
    const fetched = this.#fetched;
    const namespace = (): string => namespaceIn(this.#clients.keys().next().value ?? "");
    const authors = new AuthorFinder({ ...options, fetched, processes, remote: sourceRemote, namespace });
    const [places, signatures] = [new SourcePlaces(clock), new SignatureCheck(processes)];
    this.#revisions = new SourceRevisions({ ...options, fetched, places, signatures, authors });
    this.#schedule = new RemoteSchedule({
      ...{ clock, random, backoff },
      intervalMs: () => shortestInterval(this.#clients.values()),
      run: async ({ isPollDue }) => {
        if (isPollDue) this.#due.add();
        const isAnswered = await this.#pollRemote();
        if (isAnswered) this.#schedule.polled();
        return { state: isAnswered ? "done" : "failed" };
      },
    });
    if (remote.protocol !== "file") return;
    const wishes = (): ReadonlyMap<string, RefWish> => wishesOf(this.#clients.values());
    this.#watch = new RefWatch({ remote, clock, wishes, onChange: (pushed) => this.refresh(pushed) });
  }

  get isUnused(): boolean {
    return this.#clients.size === 0;
  }

  get url(): string {
    return this.#options.remote.url;
  }

  /** The state of a resource's source. The resource is followed from now on. */
  want(key: string, want: Want): SourceState {
    const known = this.#clients.get(key);
    const isAsked = want.requestedAt !== undefined && want.requestedAt !== known?.want.requestedAt;
    if (known !== undefined && isSamePlace(known.want, want)) {
      const { intervalMs } = known.want;
      known.want = want;
      if (intervalMs !== want.intervalMs) this.#schedule.reschedule();
      if (isAsked) this.#ask();
      return known.state;
    }
    const client = newClient(want, known);
    const isFirst = this.isUnused; // the state from the time of the last follower may be old
    const isSooner = want.intervalMs < shortestInterval(this.#clients.values());
    this.#clients.set(key, client);
    if (isSooner) this.#schedule.reschedule();
    const { ref, refKey } = want.wish;
    // The running poll also answers requests that arrive in the meantime.
    if (known === undefined && this.#asking.has(refKey)) return client.state;
    // The clone may have the commit already: then no poll is needed.
    const isKnown = this.#poll.targets.has(refKey) || ref.kind === "commit";
    if (isFirst || isAsked || !isKnown) this.#ask();
    else this.#gather();
    return client.state;
  }

  drop(key: string): void {
    this.#clients.delete(key);
  }

  /** Polls the remote at once. @param pushed The full name of the ref that was reported as pushed. */
  refresh(pushed?: string): void {
    if (!this.isUnused) this.#ask(pushed);
  }

  /** The content of the clone. */
  get contents(): Pick<SourceRevisions, "filesOf" | "authorsOf"> {
    return this.#revisions;
  }

  /** Kills running git processes. @param options.remove Also deletes the clone. */
  async close({ remove = false } = {}): Promise<void> {
    this.#isClosed = true;
    void this.#schedule.close();
    this.#watch?.close();
    this.#cancelGather?.();
    this.#processes.close();
    await Promise.all([this.#evaluation, this.#revisions.close()]);
    await this.#fetched.close({ remove });
  }

  #ask(pushed?: string): void {
    if (this.#due.add(pushed)) this.#schedule.ask();
  }

  /** Whether the remote responded. */
  async #pollRemote(): Promise<boolean> {
    const { polls, clock } = this.#options;
    const [first = ""] = this.#clients.keys();
    const permit = await polls.acquire(this.#standing, namespaceIn(first));
    try {
      const startedMs = clock.now();
      await this.#watch?.mark();
      const pushed = this.#due.take();
      if (this.#isClosed || this.isUnused) return true;
      this.#asking = wishesOf(this.#clients.values());
      noteAsked(this.#clients.values());
      const poll = await this.#fetched.poll(this.#asking, { pushed });
      if (this.#isClosed) return true;
      this.#tellOutage(poll.outage);
      this.#poll = poll;
      this.#standing = poll.outage === undefined ? "good" : "failing";
      noteHandled(this.#clients.values(), this.#asking);
      await this.#evaluate({ startedMs });
      return poll.outage === undefined;
    } finally {
      this.#asking = new Map();
      permit.release();
      // Requests that arrived after the start of the poll.
      if (hasUnasked(this.#clients.values(), this.#poll)) this.#ask();
    }
  }

  #tellOutage(outage: SourceFailure | undefined): void {
    if (outage?.message === this.#poll.outage?.message) return;
    const { log } = this.#options;
    const fields = { repository: redact(this.url, []), resources: this.#clients.size };
    if (outage === undefined) log.info("A source responds again", fields);
    else log.warn("Cannot poll a source", { ...fields, reason: outage.reason, error: outage.message });
  }

  /** Answers the waiting requests soon, and those of one message together. */
  #gather(): void {
    this.#cancelGather ??= this.#options.clock.schedule(0, () => {
      this.#cancelGather = undefined;
      void this.#recall().then(() => this.#evaluate({ onlyPending: true }));
    });
  }

  /** Searches the clone for commits, and requests missing ones from the remote. */
  async #recall(): Promise<void> {
    const { heads, unknown } = awaitedCommits(this.#clients.values(), this.#poll);
    if (heads.size + unknown.size === 0 || this.#isClosed) return;
    const found = await this.#fetched.recall(unknown);
    this.#poll = { ...this.#poll, targets: new Map([...this.#poll.targets, ...heads, ...found]) };
    if (found.size < unknown.size && !this.#isClosed) this.#ask();
  }

  /** Sequentially: each starts with the results of the previous one. */
  async #evaluate(options: Evaluation): Promise<void> {
    this.#evaluation = this.#evaluation
      .then(() => this.#evaluateNow(options))
      .catch((error: unknown) => {
        this.#options.log.error("Cannot read the revision of a source", { error: String(error) });
      });
    await this.#evaluation;
  }

  async #evaluateNow({ onlyPending = false, startedMs }: Evaluation): Promise<void> {
    if (this.#isClosed) return;
    const clients = [...this.#clients].filter(
      ([, client]) => !isSettled(client) && (!onlyPending || client.state.state === "pending"),
    );
    // A push changes a few of a thousand folders: no resource waits for an answer about the others.
    const asked = clients.map(([, client]) => client);
    const isOther = await this.#revisions.areOther(asked, this.#poll);
    const others = clients.filter((_, index) => isOther[index] !== false);
    const same = clients.filter((_, index) => isOther[index] === false);
    for (const part of [others, same]) await this.#answer(part, { onlyPending, startedMs });
  }

  async #answer(clients: Clients, { onlyPending = false, startedMs }: Evaluation): Promise<void> {
    const { log, onChange, stats, clock } = this.#options;
    const wants = clients.map(([, { want }]) => want);
    const all = await this.#revisions.find(wants, this.#poll, { remembered: this.#clients.size });
    // A folder may have been pushed just before it was requested: poll before it is reported as missing.
    const isUnpolled = onlyPending && this.#poll.outage === undefined;
    const isOld = clients.map(([, client], index) => isUnpolled && mayBeOld(client, all[index]));
    if (isOld.includes(true)) this.#ask();
    const found = all.map((one, index) => (isOld[index] === true ? undefined : one));
    // Some were deleted, or their requests have changed since.
    const isCurrent = (key: string, client: Client): boolean => this.#clients.get(key) === client;
    const notified = giveAnswers(clients, found, { ...this.#poll, isCurrent });
    if (notified.length === 0 || this.#isClosed) return;
    stats.notified += notified.length;
    const fields = { repository: redact(this.url, []), resources: notified.length };
    const ms = startedMs === undefined ? undefined : Math.round(clock.now() - startedMs);
    log.debug("A source has a new revision", { ...fields, ms });
    onChange(notified);
  }
}
