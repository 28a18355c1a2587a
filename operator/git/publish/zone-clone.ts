import type { ObjectFormat } from "../../engine/git-objects.ts";
import type { Link } from "../../zones/link.ts";
import type { Message } from "../../zones/messages.ts";
import type { Received } from "../../zones/outgoing-requests.ts";
import { GitError } from "../git-errors.ts";
import type { BranchClone, BranchView, CommitToPush, PushOutcome } from "./branch-clone.ts";
import { BranchListReader } from "./branch-list.ts";
import { type CommitInput, commitParts, commitStream } from "./commit-stream.ts";
import {
  commitAnswer,
  emptyAnswer,
  formatAnswer,
  hasAnswer,
  headAnswer,
  listItem,
  pushAnswer,
  readAnswer,
} from "./messages.ts";
import type { AskOptions, PublishConnection } from "./publish-connection.ts";

export interface ZoneCloneOptions {
  readonly connection: PublishConnection;
  readonly branch: string;
  /** Folder in the repository below which it reads; empty for the repository itself. */
  readonly root: string;
}

/** Longer than the lifetime of a git process there. */
const GIT_MS = 630_000;
/** Time for the zone to end git processes. */
const CLOSE_MS = 5_000;

/**
 * A clone in the publish zone. After a loss of the connection it is opened again, and the result of the running call is
 * unknown.
 */
export class ZoneClone implements BranchClone {
  readonly #options: ZoneCloneOptions;
  readonly #id: number;
  /** Fails the running call. */
  #fail: ((error: Error) => void) | undefined;
  #isKilled = false;
  #format: ObjectFormat = "sha1";
  /** The connection over which it is open. */
  #link: Link | undefined;

  constructor(options: ZoneCloneOptions) {
    this.#options = options;
    this.#id = options.connection.nextClone();
  }

  get format(): ObjectFormat {
    return this.#format;
  }

  async open(): Promise<void> {
    if (this.#link?.isClosed === false) return;
    const { connection, branch, root } = this.#options;
    const link = await this.#unlessKilled(() => connection.link());
    const body = { clone: this.#id, branch, root };
    const { format } = await this.#ask(link, "open", { body }, readBody(formatAnswer));
    this.#link = link;
    this.#format = format;
  }

  async readHead(): Promise<string | undefined> {
    return (await this.#request("head", {}, readBody(headAnswer))).head;
  }

  async has(commit: string): Promise<boolean> {
    return (await this.#request("has", { commit }, readBody(hasAnswer))).has;
  }

  async fetch(): Promise<string> {
    return (await this.#request("fetch", {}, readBody(commitAnswer))).commit;
  }

  async readBranch(head: string): Promise<BranchView> {
    const reader = new BranchListReader();
    const onItem = ({ body, parts }: Received): void => {
      const { list } = listItem.parse(body);
      reader.take({ list, part: parts[0] ?? Buffer.alloc(0) });
    };
    const { ownerFile, lease } = await this.#request("read", { head }, { ...readBody(readAnswer), onItem });
    const { owner, approveSweep } = typeof ownerFile === "object" ? ownerFile : {};
    return {
      ...reader.lists,
      head,
      ownerFile: owner === undefined ? (ownerFile as "unreadable" | undefined) : { owner, approveSweep },
      lease,
    };
  }

  async writeCommit(commit: CommitInput): Promise<string> {
    // A restart of the zone since the last poll is not a failure: the zone still has the clone, or reports that it does
    // not.
    await this.open();
    let isFirst = true;
    for (const { part, isLast } of commitParts(commitStream(commit))) {
      const message = { body: { clone: this.#id, isFirst }, parts: [part] };
      if (isLast) return (await this.#send("commit", message, readBody(commitAnswer))).commit;
      await this.#send("commit-part", message, readBody(emptyAnswer));
      isFirst = false;
    }
    throw new RangeError("A commit without content");
  }

  async push({ commit, parent }: CommitToPush, beforeSend?: () => void): Promise<PushOutcome> {
    return (await this.#request("push", { commit, parent }, { ...readBody(pushAnswer), beforeSend })).push;
  }

  async tidy(): Promise<void> {
    if (this.#link?.isClosed === false) await this.#request("tidy", {}, readBody(emptyAnswer));
  }

  async rebuild(format: ObjectFormat): Promise<void> {
    // The zone creates a clone that is not open when it is opened.
    if (this.#link?.isClosed !== false) return;
    try {
      this.#format = (await this.#request("rebuild", { format }, readBody(formatAnswer))).format;
    } catch (error) {
      await this.#closeAt(this.#link);
      throw error;
    }
  }

  kill(): void {
    this.#isKilled = true;
    this.#fail?.(stopping());
  }

  async close(): Promise<void> {
    await this.#closeAt(this.#link);
  }

  /** Kills running git processes of the clone, and releases its lock. */
  async #closeAt(link: Link | undefined): Promise<void> {
    this.#link = undefined;
    if (link?.isClosed !== false) return;
    const message = { body: { clone: this.#id } };
    const options = { ...readBody(emptyAnswer), deadlineMs: CLOSE_MS };
    // A zone that does not respond is disconnected, and then closes the clone.
    await link.request("close", message, options).catch((error: Error) => link.close(error));
  }

  #request<Answer>(name: string, body: object, options: Reading<Answer>): Promise<Answer> {
    return this.#send(name, { body: { ...body, clone: this.#id } }, options);
  }

  async #send<Answer>(name: string, message: Message, options: Reading<Answer>): Promise<Answer> {
    if (this.#link === undefined) throw new Error("The clone is not open");
    return await this.#ask(this.#link, name, message, options);
  }

  #ask<Answer>(link: Link, name: string, message: Message, options: Reading<Answer>): Promise<Answer> {
    const { connection } = this.#options;
    return this.#unlessKilled(() => connection.ask(link, name, message, { deadlineMs: GIT_MS, ...options }));
  }

  async #unlessKilled<Result>(act: () => Promise<Result>): Promise<Result> {
    if (this.#isKilled) throw stopping();
    const { promise, reject } = Promise.withResolvers<never>();
    this.#fail = reject;
    try {
      return await Promise.race([act(), promise]);
    } finally {
      this.#fail = undefined;
    }
  }
}

function stopping(): Error {
  const cause = new GitError("Killed", "Cannot run git: the operator is stopping");
  return new GitError("RepositoryUnreachable", cause.message, { cause });
}

type Reading<Answer> = Pick<AskOptions<Answer>, "read" | "onItem" | "beforeSend">;

function readBody<Answer>(schema: { parse(body: unknown): Answer }): { read: (answer: Received) => Answer } {
  return { read: ({ body }) => schema.parse(body) };
}
