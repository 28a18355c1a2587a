import type { Clock, Logger, Random } from "../../ports.ts";
import { Backoff } from "../../runtime/backoff.ts";
import type { Serve } from "../../zones/incoming-requests.ts";
import type { Link } from "../../zones/link.ts";
import type { Received } from "../../zones/outgoing-requests.ts";
import { ZoneClient } from "../../zones/zone-client.ts";
import { SOURCE_ZONE } from "./messages.ts";

export interface SourceConnectionOptions {
  /** Path of the Unix socket of the source zone. */
  readonly socket: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Differs from that of any other start of the operator. */
  readonly operator: number;
  /** Answers requests of the zone. */
  readonly serve: Serve;
  /** A connection was made. */
  readonly onLink: (link: Link) => void;
  /** An item of the zone. Throwing disconnects it. */
  readonly onItem: (item: Received) => void;
  /** There was no complete connection for {@link STALE_MS}. */
  readonly onOutage: () => void;
}

/** Of a frame of the zone: a state, or a piece of a file or of a list. */
const limits = { headerBytes: 65_536, parts: 1, bytes: 2 * 2 ** 20 };
const CONNECT_MS = 60_000;
/** After this long without a connection, resources report that their sources are not polled. */
export const STALE_MS = 60_000;
/** A zone that disconnects, or is disconnected, again and again is tried less and less often. */
const backoff = { initialMs: 20, factor: 2, capMs: 5_000, jitter: 0.5, resetAfterMs: 60_000 };

/** The operator's connection to the source zone: made again each time that it is lost, until it is closed. */
export class SourceConnection {
  readonly #options: SourceConnectionOptions;
  readonly #client: ZoneClient;
  readonly #delays: Backoff;
  readonly #closed = new AbortController();
  #cancelOutage: (() => void) | undefined;

  constructor(options: SourceConnectionOptions) {
    this.#options = options;
    this.#client = new ZoneClient({ ...options, zone: SOURCE_ZONE, limits });
    this.#delays = new Backoff(backoff, options.random);
  }

  /** Connects. Call it once. */
  start(): void {
    this.#expectOutage();
    void this.#run();
  }

  /** The zone knows all that is wanted. */
  complete(): void {
    this.#cancelOutage?.();
    this.#cancelOutage = undefined;
  }

  /** @throws ZoneUnavailableError if there is no connection in time. */
  link(options: { readonly withinMs: number }): Promise<Link> {
    return this.#client.link(options);
  }

  close(): void {
    this.#closed.abort();
    this.#cancelOutage?.();
    this.#client.close();
  }

  async #run(): Promise<void> {
    const { signal } = this.#closed;
    while (!signal.aborted) {
      const link = await this.link({ withinMs: CONNECT_MS }).catch(() => undefined);
      if (link === undefined) continue;
      this.#follow(link);
      await link.closed;
      if (signal.aborted) return;
      this.#expectOutage();
      await this.#wait(this.#delays.next(this.#options.clock.now()));
    }
  }

  #follow(link: Link): void {
    const { operator, onLink, onItem } = this.#options;
    link.follow("follow", { body: { operator } }, onItem);
    onLink(link);
  }

  #expectOutage(): void {
    const { clock, onOutage } = this.#options;
    this.#cancelOutage ??= clock.schedule(STALE_MS, onOutage);
  }

  #wait(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.#options.clock.schedule(delayMs, resolve);
      this.#closed.signal.addEventListener("abort", () => resolve(), { once: true });
    });
  }
}
