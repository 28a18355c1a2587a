import { once } from "node:events";
import { connect } from "node:net";
import type { Logger, Random } from "../ports.ts";
import { Backoff } from "../runtime/backoff.ts";
import { sleep } from "../runtime/sleep.ts";
import { ZoneUnavailableError } from "./errors.ts";
import { Link, type LinkOptions } from "./link.ts";

export interface ZoneClientOptions extends LinkOptions {
  /** Path of the Unix socket that the zone listens on. */
  readonly socket: string;
  readonly random: Random;
  readonly log: Logger;
  /** Called after each new connection. */
  readonly onConnect?: (link: Link) => void;
}

/** Timeout for the zone's hello frame after a connection was accepted. */
const HELLO_MS = 10_000;
const backoff = { initialMs: 20, factor: 2, capMs: 2_000, jitter: 0.5 };
/** Backoff for a zone that repeatedly disconnects or is disconnected. */
const lossBackoff = { initialMs: 20, factor: 2, capMs: 5_000, jitter: 0.5, resetAfterMs: 60_000 };
/** Timeout of one attempt to connect for a permanent connection. */
const KEEP_MS = 60_000;

/** Connects to a zone when it is needed, and again after the connection was lost. */
export class ZoneClient {
  readonly #options: ZoneClientOptions;
  #link: Link | undefined;
  #connecting: Promise<Link> | undefined;
  readonly #closed = new AbortController();

  constructor(options: ZoneClientOptions) {
    this.#options = options;
  }

  /**
   * The connection to the zone, once it is open.
   *
   * @throws ZoneUnavailableError after a timeout, or when the client was closed.
   */
  async link({ withinMs }: { readonly withinMs: number }): Promise<Link> {
    const { clock, zone } = this.#options;
    if (this.#link?.isClosed === false) return this.#link;
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined;
    });
    const connecting = this.#connecting;
    return new Promise<Link>((resolve, reject) => {
      const giveUp = clock.schedule(withinMs, () => reject(new ZoneUnavailableError(zone)));
      connecting.then(resolve, reject).finally(giveUp);
    });
  }

  /** Connects now, and again each time that the connection is lost, until the client is closed. Call it once. */
  async keep(): Promise<void> {
    const { clock, random } = this.#options;
    const delays = new Backoff(lossBackoff, random);
    const { signal } = this.#closed;
    while (!signal.aborted) {
      const link = await this.link({ withinMs: KEEP_MS }).catch(() => undefined);
      if (link === undefined) continue;
      await link.closed;
      await sleep(delays.next(clock.now()), { clock, signal });
    }
  }

  close(): void {
    this.#closed.abort();
    this.#link?.close();
  }

  async #connect(): Promise<Link> {
    const { clock, random, zone, log } = this.#options;
    const delays = new Backoff(backoff, random);
    for (let attempt = 1; !this.#closed.signal.aborted; attempt++) {
      try {
        const link = await this.#attempt();
        this.#use(link);
        return link;
      } catch (error) {
        // The first attempts fail while the zone starts.
        const reason = error instanceof Error ? error.message : String(error);
        const fields = { zone, attempt, reason };
        if (attempt === 10) log.warn("Cannot connect to a zone, retrying", fields);
        else log.debug("Cannot connect to a zone, retrying", fields);
        await sleep(delays.next(clock.now()), { clock, signal: this.#closed.signal });
      }
    }
    throw new ZoneUnavailableError(zone);
  }

  async #attempt(): Promise<Link> {
    const stream = connect(this.#options.socket);
    const { signal } = this.#closed;
    try {
      await once(stream, "connect", { signal });
    } catch (error) {
      stream.destroy();
      throw error;
    }
    const link = new Link(stream, this.#options);
    const cancel = this.#options.clock.schedule(HELLO_MS, () =>
      link.close(new Error("the zone sent no hello")),
    );
    try {
      await link.ready;
      return link;
    } finally {
      cancel();
    }
  }

  #use(link: Link): void {
    const { zone, log } = this.#options;
    this.#link = link;
    log.debug("Connected to a zone", { zone });
    void link.closed.then((error) => {
      const fields = { zone, reason: error.message };
      if (!this.#closed.signal.aborted) log.warn("Lost the connection to a zone", fields);
    });
    if (this.#closed.signal.aborted) link.close();
    else this.#options.onConnect?.(link);
  }
}
