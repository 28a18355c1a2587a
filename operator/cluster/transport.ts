import Pool from "undici/lib/dispatcher/pool.js";
import { NotLeadingError } from "../errors.ts";
import type { Clock } from "../ports.ts";
import { sleep } from "../runtime/sleep.ts";
import type { ClusterAccess } from "./cluster-access.ts";
import { ConnectionError, toConnectionError } from "./connection-error.ts";
import { http1Connector } from "./connector.ts";
import { HttpExchange, type RawResponse, timeoutError } from "./http-exchange.ts";

export interface ApiRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path and query. */
  readonly path: string;
  readonly body?: string;
  readonly contentType?: string;
  /** Additional headers, in lower case, for example for impersonation. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Total timeout of the call, including retries. Default 60 s, the API server's own limit. */
  readonly timeoutMs?: number;
  /** Maximum number of retries after responses that request one. Default 10. */
  readonly retries?: number;
  readonly signal?: AbortSignal;
  /**
   * Called at the moment of sending, before every attempt; if it throws, its error is the call's error and nothing is
   * sent.
   */
  readonly beforeSend?: () => void;
}

export interface ApiResponse {
  readonly status: number;
  readonly body: string;
  /** From the Retry-After header. */
  readonly retryAfterMs: number | undefined;
  /** The ETag header, for If-None-Match. */
  readonly etag?: string;
}

/** One attempt: `code` is the HTTP status, or `<error>` without a response. */
export interface Requested {
  readonly code: string;
  readonly method: string;
  readonly host: string;
  /**
   * Duration from sending, including the wait for a free connection, to the end of the response; for a watch to its
   * beginning.
   */
  readonly tookMs: number;
}

export type OnRequest = (request: Requested) => void;

/** Called with the time of the API server, as it is in a Date header. */
export type OnDate = (date: string) => void;

export interface ApiTransportOptions {
  readonly clock: Clock;
  /** `fairlead/<version>`. */
  readonly userAgent: string;
  /** Maximum number of connections, and so of concurrent requests. Default 32. */
  readonly connections?: number;
  /** Called once per attempt, for metrics. */
  readonly onRequest?: OnRequest;
  /** Called with the Date header of every response. */
  readonly onDate?: OnDate | undefined;
  /** Called before a request is repeated, with the response that requested it. */
  readonly onRetry?: (request: Omit<Requested, "tookMs">) => void;
}

const defaultTimeoutMs = 60_000;
const defaultRetries = 10;
/** Delay before a GET is repeated whose connection was lost. */
const lostRetryMs = 1_000;
const longestRetryWaitMs = 30_000;

/**
 * Requests to the API server over a pool of HTTP/1.1 connections (the same speed as HTTP/2 here, and no request waits
 * for the body of another). Retries as client-go does: 429 and 5xx with Retry-After, and GET after a lost connection;
 * nothing else, because the queue retries with backoff.
 */
export class ApiTransport {
  readonly server: URL;
  readonly #access: ClusterAccess;
  readonly #options: ApiTransportOptions;
  readonly #pool: Pool;
  readonly #root: string;

  constructor(access: ClusterAccess, options: ApiTransportOptions) {
    this.server = access.server;
    this.#access = access;
    this.#options = options;
    this.#root = access.server.pathname.replace(/\/$/, "");
    this.#pool = new Pool(access.server.origin, {
      connections: options.connections ?? 32,
      connect: http1Connector(access),
      allowH2: false,
      keepAliveTimeout: 30_000,
      // The operator enforces the deadline of a call itself: it includes the time in the pool's queue.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /**
   * Sends a request and reads the whole response, for any status.
   *
   * @throws ConnectionError when there was no response; errors of `beforeSend`.
   */
  async send(request: ApiRequest): Promise<ApiResponse> {
    const { retries = defaultRetries, timeoutMs = defaultTimeoutMs } = request;
    const deadlineMs = this.#options.clock.now() + timeoutMs;
    for (let tries = 0; ; tries++) {
      const answer = await this.#try(request, deadlineMs);
      const waitMs = retryDelayMs(answer, request.method);
      const inTime = waitMs !== undefined && this.#options.clock.now() + waitMs < deadlineMs;
      if (!inTime || tries >= retries) {
        if (answer instanceof Error) throw answer;
        return answer;
      }
      await sleep(waitMs, { clock: this.#options.clock, signal: request.signal });
      const code = answer instanceof Error ? "<error>" : String(answer.status);
      this.#options.onRetry?.({ code, method: request.method, host: this.server.host });
    }
  }

  /** Closes all connections; running requests fail. */
  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  async #try(request: ApiRequest, deadlineMs: number): Promise<ApiResponse | ConnectionError> {
    const { method, path, body, contentType = "application/json", signal, beforeSend } = request;
    const { clock, userAgent, onRequest, onDate } = this.#options;
    let authorization: string | undefined;
    try {
      authorization = await this.#access.authorization();
    } catch (error) {
      return toConnectionError(error, this.server);
    }
    const exchange = new HttpExchange(beforeSend);
    const stopTimer = clock.schedule(deadlineMs - clock.now(), () =>
      exchange.abort(timeoutError(this.server, request.timeoutMs ?? defaultTimeoutMs)),
    );
    const onAbort = () =>
      exchange.abort(new ConnectionError("the request was cancelled", { cause: signal?.reason }));
    if (signal?.aborted) onAbort();
    signal?.addEventListener("abort", onAbort, { once: true });
    const headers: Record<string, string> = {
      accept: "application/json",
      ...request.headers,
      "user-agent": userAgent,
    };
    if (authorization !== undefined) headers["authorization"] = authorization;
    if (body !== undefined) headers["content-type"] = contentType;
    // Without this option undici closes a connection after a DELETE with a body, and the next write waits for TLS.
    const options = { method, path: this.#root + path, headers, body: body ?? null, reset: false };
    const sentAtMs = clock.now();
    this.#pool.dispatch(options, exchange);
    let code = "<error>";
    try {
      const response = await exchange.answer;
      code = String(response.status);
      reportDate(response.headers, onDate);
      if (response.status === 401) this.#access.forget();
      return toApiResponse(response);
    } catch (error) {
      // This instance does not lead: nothing was sent, so it does not count as a failed request.
      if (error instanceof NotLeadingError) {
        code = "";
        throw error;
      }
      return toConnectionError(error, this.server);
    } finally {
      stopTimer();
      signal?.removeEventListener("abort", onAbort);
      const tookMs = clock.now() - sentAtMs;
      if (code !== "") onRequest?.({ code, method, host: this.server.host, tookMs });
    }
  }
}

// Undefined: no retry.
function retryDelayMs(answer: ApiResponse | ConnectionError, method: string): number | undefined {
  if (answer instanceof ConnectionError) return answer.lost && method === "GET" ? lostRetryMs : undefined;
  const { status, retryAfterMs } = answer;
  if (status !== 429 && status < 500) return undefined;
  return retryAfterMs === undefined ? undefined : Math.min(retryAfterMs, longestRetryWaitMs);
}

function toApiResponse({ status, headers, body }: RawResponse): ApiResponse {
  const { etag } = headers;
  return {
    status,
    body: body.toString("utf8"),
    retryAfterMs: retryAfterMsOf(headers["retry-after"]),
    ...(typeof etag === "string" && { etag }),
  };
}

/** Reports the Date header of a response, if it has one. */
export function reportDate({ date }: RawResponse["headers"], onDate: OnDate | undefined): void {
  if (onDate !== undefined && typeof date === "string") onDate(date);
}

/** Milliseconds of a Retry-After header in seconds, the only form that the API server uses. */
export function retryAfterMsOf(header: string | string[] | undefined): number | undefined {
  const seconds = typeof header === "string" && header !== "" ? Number(header) : Number.NaN;
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
}
