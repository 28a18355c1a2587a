import type { Clock, Logger, Random } from "../../ports.ts";
import { FairSemaphore } from "../../runtime/fair-semaphore.ts";
import type { ReportedIsolation } from "../../sandbox/isolation-report.ts";
import { ZoneAnswerError, ZoneDeadlineError } from "../../zones/errors.ts";
import type { Link } from "../../zones/link.ts";
import type { Message } from "../../zones/messages.ts";
import type { Received, RequestOptions } from "../../zones/outgoing-requests.ts";
import { ZoneClient } from "../../zones/zone-client.ts";
import { GitError } from "../git-errors.ts";
import { isolationItem, readIsolation } from "../zone-messages.ts";
import { emptyAnswer, PUBLISH_ZONE } from "./messages.ts";
import { readPublishError } from "./publish-failure.ts";

export interface PublishConnectionOptions {
  /** Path of the Unix socket of the publish zone. */
  readonly socket: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** The zone reported the kernel isolation of its own process, or of git. */
  readonly onIsolation?: ((process: "publish" | "git", isolation: ReportedIsolation) => void) | undefined;
  /** Called before each request to the zone. */
  readonly onStart?: () => void;
}

export interface AskOptions<Answer> extends RequestOptions<Answer> {
  /** Called directly before the request is sent; throwing prevents that. */
  readonly beforeSend?: (() => void) | undefined;
}

/** Largest frame from the zone: a part of a list. */
const limits = { headerBytes: 65_536, parts: 1, bytes: 2 ** 20 };
/** Maximum number of concurrent requests: the zone's side of a connection accepts 256. */
const REQUESTS = 64;
/** How long to wait for a zone that starts or restarts. */
export const PATIENCE_MS = 10_000;

/**
 * The operator's connection to the publish zone, which all clones there share. After a loss it is opened again when it
 * is needed.
 */
export class PublishConnection {
  readonly #options: PublishConnectionOptions;
  readonly #client: ZoneClient;
  readonly #requests = new FairSemaphore({ permits: REQUESTS });
  #lastClone = 0;

  constructor(options: PublishConnectionOptions) {
    this.#options = options;
    const onConnect = (link: Link): void => link.follow("hold", { body: {} }, this.#takeIsolation);
    this.#client = new ZoneClient({ ...options, zone: PUBLISH_ZONE, limits, onConnect });
  }

  /** A number by which the zone identifies a clone. */
  nextClone(): number {
    return ++this.#lastClone;
  }

  /** Resolves with the connection once it is open. @throws GitError `RepositoryUnreachable` after a timeout */
  async link(): Promise<Link> {
    this.#options.onStart?.();
    return await this.#client.link({ withinMs: PATIENCE_MS }).catch(fail);
  }

  /**
   * Sends a request.
   *
   * @throws The error that the zone reports; GitError `RepositoryUnreachable`, caused by a `Killed`, when the zone does
   * not answer.
   */
  async ask<Answer>(
    link: Link,
    name: string,
    message: Message,
    { beforeSend, ...options }: AskOptions<Answer>,
  ): Promise<Answer> {
    const permit = await this.#requests.acquire("");
    try {
      beforeSend?.();
    } catch (error) {
      permit.release();
      throw error;
    }
    try {
      return await link.request(name, message, options);
    } catch (error) {
      if (error instanceof ZoneAnswerError) throw readPublishError(error.body);
      // The state of the running request is unknown: the zone kills its processes when it is disconnected.
      if (error instanceof ZoneDeadlineError) link.close(error);
      return fail(error);
    } finally {
      permit.release();
    }
  }

  /** Checks that the zone can authenticate at the repository. @throws GitError `Credentials`, `RepositoryUnreachable` */
  async check(): Promise<void> {
    const link = await this.link();
    await this.ask(
      link,
      "check",
      { body: {} },
      { read: ({ body }) => emptyAnswer.parse(body), deadlineMs: PATIENCE_MS },
    );
  }

  readonly #takeIsolation = ({ body }: Received): void => {
    const { own, git } = readIsolation(isolationItem.parse(body));
    this.#options.onIsolation?.("publish", own);
    this.#options.onIsolation?.("git", git);
  };

  close(): void {
    this.#client.close();
  }
}

function fail(cause: unknown): never {
  const message = "The process that commits and pushes does not respond";
  // The git process has ended too, or its state is unknown: this does not mean that the clone is damaged.
  throw new GitError("RepositoryUnreachable", message, { cause: new GitError("Killed", message, { cause }) });
}
