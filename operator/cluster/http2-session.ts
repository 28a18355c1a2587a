import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  type OutgoingHttpHeaders,
} from "node:http2";
import type { TLSSocket } from "node:tls";
import type { Clock } from "../ports.ts";
import { ConnectionError } from "./connection-error.ts";

export interface Http2SessionOptions {
  readonly clock: Clock;
  /** Time between two PINGs. Default 20 s. */
  readonly pingIntervalMs?: number;
  /** Timeout for the response to a PING. Default 15 s. */
  readonly pingTimeoutMs?: number;
}

/** Flow-control windows, large enough that a list of 30,000 objects does not wait for an update after each 64 KiB. */
const streamWindowBytes = 1024 * 1024;
const connectionWindowBytes = 8 * 1024 * 1024;
/** Fewer streams than the server's usual limit of 100, so that the limit is never reached. */
const mostStreams = 90;

/**
 * One HTTP/2 connection for watches. A PING every 20 s detects a connection that was lost silently: bookmarks are too
 * rare for that, and TCP keep-alive does not pass through a proxy.
 */
export class Http2Session {
  readonly #session: ClientHttp2Session;
  readonly #options: Http2SessionOptions;
  #streams = 0;
  #isDraining = false;
  #cancelTimer: () => void = () => {};

  constructor(server: URL, socket: TLSSocket, options: Http2SessionOptions) {
    this.#options = options;
    this.#session = connect(server.origin, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: streamWindowBytes },
    });
    this.#session.once("connect", () => this.#session.setLocalWindowSize(connectionWindowBytes));
    // Every stream is notified by itself; without a listener for the session's error the process would end.
    this.#session.on("error", () => {});
    this.#session.on("goaway", () => {
      this.#isDraining = true;
    });
    this.#session.once("close", () => this.#cancelTimer());
    this.#schedulePing();
  }

  /** Whether another watch may use this connection. */
  get isOpen(): boolean {
    const { closed, destroyed } = this.#session;
    return !closed && !destroyed && !this.#isDraining;
  }

  get hasRoom(): boolean {
    return this.isOpen && this.#streams < mostStreams;
  }

  request(headers: OutgoingHttpHeaders): ClientHttp2Stream {
    const stream = this.#session.request(headers, { endStream: true });
    this.#streams += 1;
    stream.once("close", () => {
      this.#streams -= 1;
      if (this.#isDraining && this.#streams === 0) this.close();
    });
    return stream;
  }

  close(error?: Error): void {
    this.#cancelTimer();
    this.#session.destroy(error);
  }

  #schedulePing(): void {
    const { clock, pingIntervalMs = 20_000, pingTimeoutMs = 15_000 } = this.#options;
    this.#cancelTimer = clock.schedule(pingIntervalMs, () => {
      if (this.#session.destroyed) return;
      this.#cancelTimer = clock.schedule(pingTimeoutMs, () => {
        const seconds = (pingIntervalMs + pingTimeoutMs) / 1000;
        this.close(new ConnectionError(`the API server has been silent for ${seconds} s`, { lost: true }));
      });
      this.#session.ping((error) => {
        if (error !== null) return;
        this.#cancelTimer();
        this.#schedulePing();
      });
    });
  }
}
