import { FrameError } from "./frame-reader.ts";
import type { LinkWriter } from "./link-writer.ts";
import type { Header, Message } from "./messages.ts";
import type { RequestOptions } from "./outgoing-requests.ts";

/** A request of the other side. Everything in it is untrusted. */
export interface IncomingRequest {
  readonly id: number;
  readonly name: string;
  readonly body: unknown;
  readonly parts: readonly Buffer[];
  /** Aborts when the other side no longer needs the answer, and when the connection ends. */
  readonly signal: AbortSignal;
  /** Sends a piece of the answer. Await it before sending the next one, to limit the memory. */
  readonly send: (item: Message) => Promise<void>;
}

/** Sends requests back to the side that a request came from. */
export interface AskBack {
  request<Answer>(name: string, message: Message, options: RequestOptions<Answer>): Promise<Answer>;
}

/** Answers a request. Throwing answers with an error. */
export type Serve = (request: IncomingRequest, back: AskBack) => Promise<Message>;

/** Maximum number of concurrent requests of one side of a connection. More of them violate the protocol. */
export const MOST_REQUESTS = 256;

export interface IncomingRequestsOptions {
  readonly writer: LinkWriter;
  readonly serve: (request: IncomingRequest) => Promise<Message>;
  readonly describeError: (error: unknown) => unknown;
  /** Maximum number of parts of a request. */
  readonly mostParts: number;
}

/** The running requests of the other side of a connection. */
export class IncomingRequests {
  readonly #options: IncomingRequestsOptions;
  readonly #running = new Map<number, AbortController>();
  #lastId = 0;

  constructor(options: IncomingRequestsOptions) {
    this.#options = options;
  }

  /** @throws FrameError if the request violates the protocol. */
  begin(header: Extract<Header, { is: "request" }>, parts: readonly Buffer[]): void {
    const { id, name, body } = header;
    if (id <= this.#lastId) throw new FrameError("a request with an id that was used before");
    if (parts.length > this.#options.mostParts) throw new FrameError("a request with too many parts");
    if (this.#running.size >= MOST_REQUESTS)
      throw new FrameError(`more than ${MOST_REQUESTS} requests at a time`);
    this.#lastId = id;
    const running = new AbortController();
    this.#running.set(id, running);
    const { writer } = this.#options;
    const { signal } = running;
    const send = ({ body, parts }: Message): Promise<void> => writer.write({ is: "item", id, body }, parts);
    void this.#answer({ id, name, body, parts, signal, send });
  }

  cancel(id: number): void {
    // It may have been answered in the meantime.
    this.#running.get(id)?.abort();
  }

  close(reason: Error): void {
    for (const running of this.#running.values()) running.abort(reason);
    this.#running.clear();
  }

  async #answer(request: IncomingRequest): Promise<void> {
    const { id } = request;
    const { writer, serve, describeError } = this.#options;
    try {
      const { body, parts } = await serve(request);
      await writer.write({ is: "answer", id, body }, parts);
    } catch (error) {
      await writer.write({ is: "error", id, body: describeError(error) });
    } finally {
      this.#running.delete(id);
    }
  }
}
