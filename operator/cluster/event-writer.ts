import type { Clock, Fence, Random } from "../ports.ts";
import { ConnectionError } from "./connection-error.ts";
import type { ApiRequest, ApiResponse, ApiTransport } from "./transport.ts";

export interface EventWriterInput {
  readonly transport: ApiTransport;
  readonly fence: Fence;
  readonly clock: Clock;
  readonly random: Random;
}

/** One write, made up at the moment of sending; undefined when there is nothing left to write. */
export interface EventWrite {
  readonly request: () => ApiRequest | undefined;
  /** Told the answer's status; not called when the write was given up. */
  readonly onAnswer?: (status: number) => void;
}

const longestQueue = 1_000;
const mostTries = 12;
/** An event is not worth a connection for longer; and at the end the process waits for it. */
const timeoutMs = 10_000;
const retryMs = 10_000;
const retryJitter = 0.25;

/**
 * Writes events in the background, one after the other. Never blocks and never fails: what does not fit into the
 * queue, is refused, or does not get through in 12 tries is dropped, and what an instance that does not lead would
 * write is dropped at once.
 */
export class EventWriter {
  readonly #input: EventWriterInput;
  readonly #queue: EventWrite[] = [];
  #pump: Promise<void> | undefined;
  #isClosing = false;
  #isClosed = false;
  #wake: () => void = () => {};

  constructor(input: EventWriterInput) {
    this.#input = input;
  }

  /** False when the queue is full. */
  offer(write: EventWrite): boolean {
    if (this.#isClosed || this.#queue.length >= longestQueue) return false;
    this.#queue.push(write);
    this.#pump ??= this.#writeAll();
    return true;
  }

  /** Resolves when everything offered so far has been written or dropped. */
  async drained(): Promise<void> {
    while (this.#pump !== undefined) await this.#pump;
  }

  /** Tries what is in the queue until the first failure, then takes nothing more. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#wake();
    await this.drained();
    this.#isClosed = true;
  }

  async #writeAll(): Promise<void> {
    for (let write = this.#queue.shift(); write !== undefined; write = this.#queue.shift()) {
      const status = await this.#write(write);
      if (status !== undefined) write.onAnswer?.(status);
    }
    // In the same turn as the look into the queue: no offer falls between the two.
    this.#pump = undefined;
  }

  // The answer's status; undefined when the write was given up.
  async #write({ request: makeRequest }: EventWrite): Promise<number | undefined> {
    for (let tries = 1; ; tries++) {
      try {
        const request = makeRequest();
        if (request === undefined) return undefined;
        const { status } = await this.#send(request);
        if (status !== 429 && status < 500) return status;
      } catch (error) {
        if (!(error instanceof ConnectionError)) return undefined;
      }
      // The end of the process waits for nobody who does not answer.
      if (this.#isClosing) this.#queue.length = 0;
      if (tries === mostTries || this.#isClosing) return undefined;
      await this.#pause();
    }
  }

  async #send(request: ApiRequest): Promise<ApiResponse> {
    const { transport, fence } = this.#input;
    return await transport.send({ ...request, retries: 0, timeoutMs, beforeSend: () => fence.check() });
  }

  #pause(): Promise<void> {
    const { clock, random } = this.#input;
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = clock.schedule(retryMs * (1 + retryJitter * random()), resolve);
    this.#wake = resolve;
    return promise.finally(cancel);
  }
}
