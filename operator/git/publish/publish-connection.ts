import type { Clock, Logger, Random } from "../../ports.ts";
import { FairSemaphore } from "../../runtime/fair-semaphore.ts";
import type { ReportedWalls } from "../../sandbox/walls-report.ts";
import { ZoneAnswerError, ZoneDeadlineError } from "../../zones/errors.ts";
import type { Link } from "../../zones/link.ts";
import type { Message } from "../../zones/messages.ts";
import type { Received, RequestOptions } from "../../zones/outgoing-requests.ts";
import { ZoneClient } from "../../zones/zone-client.ts";
import { GitError } from "../git-errors.ts";
import { readWalls, wallsItem } from "../zone-messages.ts";
import { emptyAnswer, PUBLISH_ZONE } from "./messages.ts";
import { readPublishError } from "./publish-failure.ts";

export interface PublishConnectionOptions {
  /** Path of the Unix socket of the publish zone. */
  readonly socket: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** The zone reported walls of the kernel: around its own process, or around git. */
  readonly onWalls?: ((process: "publish" | "git", walls: ReportedWalls) => void) | undefined;
  /** Called each time that the zone is needed. */
  readonly onStart?: () => void;
}

export interface AskOptions<Answer> extends RequestOptions<Answer> {
  /** Called directly before the request is sent; throwing prevents that. */
  readonly beforeSend?: (() => void) | undefined;
}

/** Of a frame of the zone: a part of a list. */
const limits = { headerBytes: 65_536, parts: 1, bytes: 2 ** 20 };
/** Requests at a time: the zone's side of a connection takes 256. */
const REQUESTS = 64;
/** How long to wait for a zone that starts or is restarted. */
export const PATIENCE_MS = 10_000;

/** The operator's connection to the publish zone, which all clones there share. It is made again after a loss when it is needed. */
export class PublishConnection {
  readonly #options: PublishConnectionOptions;
  readonly #client: ZoneClient;
  readonly #requests = new FairSemaphore({ permits: REQUESTS });
  #lastClone = 0;

  constructor(options: PublishConnectionOptions) {
    this.#options = options;
    const onConnect = (link: Link): void => link.follow("hold", { body: {} }, this.#takeWalls);
    this.#client = new ZoneClient({ ...options, zone: PUBLISH_ZONE, limits, onConnect });
  }

  /** A number that names a clone to the zone. */
  nextClone(): number {
    return ++this.#lastClone;
  }

  /** The connection, once it is there. @throws GitError `RepositoryUnreachable` if it is not in time */
  async link(): Promise<Link> {
    this.#options.onStart?.();
    return await this.#client.link({ withinMs: PATIENCE_MS }).catch(fail);
  }

  /**
   * Sends a request.
   *
   * @throws What the zone says; GitError `RepositoryUnreachable`, caused by a `Killed`, when the zone does not answer.
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
      // Nothing is known of what runs there: a zone that is disconnected ends it.
      if (error instanceof ZoneDeadlineError) link.close(error);
      return fail(error);
    } finally {
      permit.release();
    }
  }

  /** Whether the zone can authenticate at the repository. @throws GitError `Credentials`, `RepositoryUnreachable` */
  async check(): Promise<void> {
    const link = await this.link();
    await this.ask(
      link,
      "check",
      { body: {} },
      { read: ({ body }) => emptyAnswer.parse(body), deadlineMs: PATIENCE_MS },
    );
  }

  readonly #takeWalls = ({ body }: Received): void => {
    const { own, git } = readWalls(wallsItem.parse(body));
    this.#options.onWalls?.("publish", own);
    this.#options.onWalls?.("git", git);
  };

  close(): void {
    this.#client.close();
  }
}

function fail(cause: unknown): never {
  const message = "The process that commits and pushes does not respond";
  // What it ran has ended with it, or is unknown: that says nothing about the clone.
  throw new GitError("RepositoryUnreachable", message, { cause: new GitError("Killed", message, { cause }) });
}
