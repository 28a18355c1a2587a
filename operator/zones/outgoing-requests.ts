import type { Clock } from "../ports.ts";
import { ZoneAnswerError, ZoneDeadlineError, ZoneProtocolError } from "./errors.ts";
import type { LinkWriter } from "./link-writer.ts";
import type { Header, Message } from "./messages.ts";

/** Something that the other side sent. */
export interface Received {
  readonly body: unknown;
  readonly parts: readonly Buffer[];
}

export interface RequestOptions<Answer> {
  /** Checks the answer. Throwing says that it breaks the protocol, and closes the connection. */
  readonly read: (answer: Received) => Answer;
  /** Takes an item, in the order in which they were sent. Throwing closes the connection. Default: there may be none. */
  readonly onItem?: (item: Received) => void;
  /** Called with the id of the request before it is sent: the other side may refer to it in requests of its own. */
  readonly onId?: (id: number) => void;
  /** The request fails without an answer in this time, in milliseconds. */
  readonly deadlineMs: number;
  /** Tells the other side that the answer is not needed; it still answers, perhaps with an error. */
  readonly cancel?: AbortSignal;
}

interface Pending {
  readonly onItem: ((item: Received) => void) | undefined;
  readonly settle: (answer: Received) => void;
  readonly reject: (error: Error) => void;
}

export interface OutgoingRequestsOptions {
  readonly writer: LinkWriter;
  readonly clock: Clock;
  readonly zone: string;
}

/** The requests of this side of a connection that are under way. */
export class OutgoingRequests {
  readonly #options: OutgoingRequestsOptions;
  readonly #pending = new Map<number, Pending>();
  /** Requests that were given up: what comes for them is dropped. */
  readonly #late = new Set<number>();
  #lastId = 0;
  #closedFor: Error | undefined;

  constructor(options: OutgoingRequestsOptions) {
    this.#options = options;
  }

  send<Answer>(name: string, { body, parts }: Message, options: RequestOptions<Answer>): Promise<Answer> {
    if (this.#closedFor !== undefined) return Promise.reject(this.#closedFor);
    const { clock, writer, zone } = this.#options;
    const { read, onItem, onId, deadlineMs, cancel } = options;
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const tellCancelled = (): void => void writer.write({ is: "cancel", id });
    const end = (): void => {
      stopWaiting();
      cancel?.removeEventListener("abort", tellCancelled);
      this.#pending.delete(id);
    };
    const fail = (error: Error): void => {
      end();
      reject(error);
    };
    const stopWaiting = clock.schedule(deadlineMs, () => {
      this.#late.add(id);
      tellCancelled();
      fail(new ZoneDeadlineError(zone, deadlineMs));
    });
    const settle = (answer: Received): void => {
      // Before it counts as settled: an answer that breaks the protocol closes the connection, which fails this request.
      const value = read(answer);
      end();
      resolve(value);
    };
    this.#pending.set(id, { onItem, settle, reject: fail });
    onId?.(id);
    void writer.write({ is: "request", id, name, body }, parts);
    if (cancel?.aborted === true) tellCancelled();
    else cancel?.addEventListener("abort", tellCancelled, { once: true });
    return promise;
  }

  /** @throws ZoneProtocolError for what answers no request of ours; what `read` and `onItem` throw. */
  receive(header: Extract<Header, { is: "item" | "answer" | "error" }>, parts: readonly Buffer[]): void {
    const { is, id, body } = header;
    const pending = this.#pending.get(id);
    if (pending === undefined) this.#dropLate(is, id);
    else if (is === "answer") pending.settle({ body, parts });
    else if (is === "error") pending.reject(new ZoneAnswerError(body));
    else if (pending.onItem !== undefined) pending.onItem({ body, parts });
    else throw new ZoneProtocolError(this.#options.zone, "an item that was not asked for");
  }

  close(error: Error): void {
    this.#closedFor = error;
    for (const { reject } of [...this.#pending.values()]) reject(error);
  }

  #dropLate(is: "item" | "answer" | "error", id: number): void {
    if (!this.#late.has(id)) {
      throw new ZoneProtocolError(this.#options.zone, "an answer to a request that was not sent");
    }
    if (is !== "item") this.#late.delete(id);
  }
}
