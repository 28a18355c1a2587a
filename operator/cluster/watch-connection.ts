import { type ClientHttp2Stream, constants, type IncomingHttpHeaders } from "node:http2";
import type { Pool } from "undici";
import type { Clock } from "../ports.ts";
import type { ClusterAccess } from "./cluster-access.ts";
import { toConnectionError } from "./connection-error.ts";
import { http1Connector, openTls } from "./connector.ts";
import { Http2Session } from "./http2-session.ts";
import { type OnDate, type OnRequest, reportDate } from "./transport.ts";

/** The response to a watch request; `body` ends or throws with the stream. */
export interface WatchResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: AsyncIterable<Uint8Array>;
}

export interface WatchConnectionOptions {
  readonly clock: Clock;
  readonly userAgent: string;
  readonly pingIntervalMs?: number;
  readonly pingTimeoutMs?: number;
  /**
   * Only for HTTP/1.1, which has no PING: a watch without data for this time is closed. Longer than the minute between
   * two bookmarks. Default 75 s.
   */
  readonly quietLimitMs?: number;
  /** Called once per requested watch, for metrics. */
  readonly onRequest?: OnRequest;
  /** Called with the Date header of every response. */
  readonly onDate?: OnDate | undefined;
}

/**
 * Connections for watches, separate from those for requests. HTTP/2 if the server supports it, over one session (more if
 * there are more than 90 watches); HTTP/1.1, with a connection per watch, through a proxy without HTTP/2.
 */
export class WatchConnection {
  readonly #access: ClusterAccess;
  readonly #options: WatchConnectionOptions;
  readonly #root: string;
  #sessions: Http2Session[] = [];
  #opening: Promise<void> | undefined;
  #http1: Pool | undefined;

  constructor(access: ClusterAccess, options: WatchConnectionOptions) {
    this.#access = access;
    this.#options = options;
    this.#root = access.server.pathname.replace(/\/$/, "");
  }

  /** @throws ConnectionError when there was no response. */
  async open(path: string, { signal }: { readonly signal: AbortSignal }): Promise<WatchResponse> {
    const { server } = this.#access;
    const askedAtMs = this.#options.clock.now();
    const count = (code: string): void => {
      const tookMs = this.#options.clock.now() - askedAtMs;
      this.#options.onRequest?.({ code, method: "GET", host: server.host, tookMs });
    };
    try {
      const authorization = await this.#access.authorization();
      const headers: Record<string, string> = {
        accept: "application/json",
        "user-agent": this.#options.userAgent,
        ...(authorization !== undefined && { authorization }),
      };
      // Nothing is awaited between finding a session and using it, because all watches start at once.
      let session = this.#sessionWithRoom();
      while (session === undefined && this.#http1 === undefined) {
        await this.#connectOnce();
        signal.throwIfAborted();
        session = this.#sessionWithRoom();
      }
      signal.throwIfAborted();
      const response =
        session === undefined
          ? await this.#openHttp1(this.#root + path, headers, signal)
          : await openHttp2(session, { ":path": this.#root + path, ...headers }, { signal, server });
      if (response.status === 401) this.#access.forget();
      reportDate(response.headers, this.#options.onDate);
      count(String(response.status));
      return response;
    } catch (error) {
      count("<error>");
      throw toConnectionError(error, server);
    }
  }

  async close(): Promise<void> {
    for (const session of this.#sessions) session.close();
    this.#sessions = [];
    await this.#http1?.destroy();
  }

  #sessionWithRoom(): Http2Session | undefined {
    this.#sessions = this.#sessions.filter(({ isOpen }) => isOpen);
    return this.#sessions.find(({ hasRoom }) => hasRoom);
  }

  /** Concurrent callers that need a connection share one instead of opening one each. */
  #connectOnce(): Promise<void> {
    this.#opening ??= this.#connect().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  /** Adds a session; if the server does not support HTTP/2, the pool for HTTP/1.1. */
  async #connect(): Promise<void> {
    const { server } = this.#access;
    if (server.protocol === "https:") {
      const socket = await openTls(this.#access);
      if (socket.alpnProtocol === "h2") {
        const session = new Http2Session(server, socket, this.#options);
        this.#sessions.push(session);
        return;
      }
      socket.destroy();
    }
    // The complete undici, which is rarely needed: for a proxy that supports only HTTP/1.1. In a bundle it has only a
    // default export.
    const { default: undici } = await import("undici");
    this.#http1 = new undici.Pool(server.origin, {
      connect: http1Connector(this.#access),
      allowH2: false,
      headersTimeout: this.#options.quietLimitMs ?? 75_000,
      bodyTimeout: this.#options.quietLimitMs ?? 75_000,
    });
  }

  async #openHttp1(
    path: string,
    headers: Record<string, string>,
    signal: AbortSignal,
  ): Promise<WatchResponse> {
    const pool = this.#http1;
    if (pool === undefined) throw new Error("the connection was closed");
    const response = await pool.request({ method: "GET", path, headers, signal });
    return { status: response.statusCode, headers: response.headers, body: response.body };
  }
}

async function openHttp2(
  session: Http2Session,
  headers: Record<string, string>,
  { signal, server }: { readonly signal: AbortSignal; readonly server: URL },
): Promise<WatchResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingHttpHeaders>();
  const stream: ClientHttp2Stream = session.request({
    ":method": "GET",
    ":authority": server.host,
    ...headers,
  });
  const stop = () => stream.destroy();
  signal.addEventListener("abort", stop, { once: true });
  stream.once("close", () => {
    signal.removeEventListener("abort", stop);
    reject(new Error("the stream was closed before an answer came"));
  });
  // Stays for the lifetime of the stream: an error without a listener would end the process.
  stream.on("error", reject);
  stream.once("response", resolve);
  const answer = await promise;
  return { status: Number(answer[":status"]), headers: answer, body: wholeBody(stream) };
}

// For Node, a stream whose connection is lost ends as if the server had closed it: its code shows the difference.
async function* wholeBody(stream: ClientHttp2Stream): AsyncGenerator<Uint8Array, void, void> {
  for await (const chunk of stream) yield chunk as Uint8Array;
  if (stream.rstCode !== constants.NGHTTP2_NO_ERROR)
    throw Object.assign(new Error("the stream was interrupted"), { code: "ERR_HTTP2_STREAM_ERROR" });
}
