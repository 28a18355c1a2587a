import type { Dispatcher } from "undici";
import { ConnectionError } from "./connection-error.ts";

export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/**
 * One request and its whole response, on undici's lowest level: no stream object, no promise per chunk. `beforeSend`
 * runs when a connection takes the request, not when it is queued; if it throws, or if {@link abort} was called before,
 * nothing is sent.
 */
export class HttpExchange implements Dispatcher.DispatchHandler {
  readonly answer: Promise<RawResponse>;
  readonly #resolve: (response: RawResponse) => void;
  readonly #reject: (error: unknown) => void;
  readonly #beforeSend: (() => void) | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #aborted: Error | undefined;
  #status = 0;
  #headers: RawResponse["headers"] = {};
  readonly #chunks: Buffer[] = [];

  constructor(beforeSend: (() => void) | undefined) {
    const { promise, resolve, reject } = Promise.withResolvers<RawResponse>();
    this.answer = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#beforeSend = beforeSend;
  }

  abort(error: Error): void {
    this.#aborted ??= error;
    this.#controller?.abort(error);
    this.#reject(error);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    try {
      if (this.#aborted === undefined) this.#beforeSend?.();
    } catch (error) {
      this.abort(error as Error);
    }
    if (this.#aborted !== undefined) controller.abort(this.#aborted);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: RawResponse["headers"]): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const [first] = this.#chunks;
    const body = first !== undefined && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks);
    this.#resolve({ status: this.#status, headers: this.#headers, body });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#reject(this.#aborted ?? error);
  }
}

/** The error of a request without a response in time. */
export function timeoutError(server: URL, timeoutMs: number): ConnectionError {
  return new ConnectionError(
    `the API server at ${server.origin} did not respond within ${timeoutMs / 1000} s`,
  );
}
