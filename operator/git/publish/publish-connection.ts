import type { Clock, Logger, Random } from "../../ports.ts";
import { FairSemaphore } from "../../runtime/fair-semaphore.ts";
import { type ReportedWalls, readWallsReport } from "../../sandbox/walls-report.ts";
import { ZoneAnswerError, ZoneDeadlineError } from "../../zones/errors.ts";
import type { Link } from "../../zones/link.ts";
import type { Message } from "../../zones/messages.ts";
import type { Received, RequestOptions } from "../../zones/outgoing-requests.ts";
import { ZoneClient } from "../../zones/zone-client.ts";
import { GitKilledError, RepositoryUnreachableError } from "../git-errors.ts";
import { readPublishError } from "./error-answer.ts";
import { emptyAnswer, PUBLISH_ZONE, wallsItem } from "./messages.ts";

export interface PublishConnectionOptions {
  /** Path of the Unix socket of the publish zone. */
  readonly socket: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** The zone reported walls of the kernel: around its own process, or around git. */
  readonly onWalls?: ((process: "publish" | "git", walls: ReportedWalls) => void) | undefined;
  /** Called once, when the zone is first needed. */
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
  #isStarted = false;
  #held: Link | undefined;
  #lastClone = 0;

  constructor(options: PublishConnectionOptions) {
    const serve = async ({ name }: { readonly name: string }): Promise<never> => {
      throw new RangeError(`There is no request "${name}"`);
    };
    this.#options = options;
    this.#client = new ZoneClient({ ...options, zone: PUBLISH_ZONE, limits, serve });
  }

  /** A number that names a clone to the zone. */
  nextClone(): number {
    return ++this.#lastClone;
  }

  /** The connection, once it is there. @throws RepositoryUnreachableError if it is not in time */
  async link(): Promise<Link> {
    if (!this.#isStarted) {
      this.#isStarted = true;
      this.#options.onStart?.();
    }
    const link = await this.#client.link({ withinMs: PATIENCE_MS }).catch(fail);
    if (link === this.#held) return link;
    this.#held = link;
    link.follow("hold", { body: {} }, this.#takeWalls);
    return link;
  }

  /**
   * Sends a request.
   *
   * @throws What the zone says; RepositoryUnreachableError, caused by a GitKilledError, when the zone does not answer.
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

  /** Whether the zone can authenticate at the repository. @throws CredentialsError, RepositoryUnreachableError */
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
    const { walls } = wallsItem.parse(body);
    for (const process of ["publish", "git"] as const)
      this.#options.onWalls?.(process, readWallsReport(walls[process]));
  };

  close(): void {
    this.#client.close();
  }
}

function fail(cause: unknown): never {
  const message = "The process that commits and pushes does not respond";
  // What it ran has ended with it, or is unknown: that says nothing about the clone.
  throw new RepositoryUnreachableError(message, { cause: new GitKilledError(message, { cause }) });
}
