import type { Clock } from "../ports.ts";
import { ZoneAnswerError, ZoneDeadlineError, ZoneProtocolError } from "./errors.ts";
import type { LinkWriter } from "./link-writer.ts";
import type { Header, Message } from "./messages.ts";

/** A message of the other side. */
export interface Received {
  readonly body: unknown;
  readonly parts: readonly Buffer[];
}

export interface RequestOptions<Answer> {
  /** Validates the answer. Throwing means that it violates the protocol, and closes the connection. */
  readonly read: (answer: Received) => Answer;
  /** Receives an item, in the order of sending. Throwing closes the connection. Default: items are not allowed. */
  readonly onItem?: (item: Received) => void;
  /** Called with the id of the request before it is sent: the other side may refer to it in requests of its own. */
  readonly onId?: (id: number) => void;
  /** The request fails if there is no answer within this time, in milliseconds. */
  readonly deadlineMs: number;
  /** Aborting it notifies the other side that the answer is not needed; it still answers, perhaps with an error. */
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

/** The running requests of this side of a connection. */
export class OutgoingRequests {
  readonly #options: OutgoingRequestsOptions;
  readonly #pending = new Map<number, Pending>();
  /** Cancelled requests: their messages are dropped. */
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
      // Before the request is settled: an answer that violates the protocol closes the connection, which fails this
      // request.
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

  /** @throws ZoneProtocolError for a message without a request; errors of `read` and `onItem`. */
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
