import type { Clock, Fence, Random } from "../ports.ts";
import { Backoff } from "../runtime/backoff.ts";
import { ConnectionError } from "./connection-error.ts";
import type { ApiRequest, ApiTransport } from "./transport.ts";

export interface EventWriterInput {
  readonly transport: ApiTransport;
  readonly fence: Fence;
  readonly clock: Clock;
  readonly random: Random;
}

/** One write, which is created when it is sent; undefined when there is nothing left to write. */
export interface EventWrite {
  readonly request: () => ApiRequest | undefined;
  /** Called with the status of the response; undefined: the write was dropped. */
  readonly onAnswer?: (status: number | undefined) => void;
}

interface Waiting extends EventWrite {
  tries: number;
  dueMs: number;
}

const longestQueue = 1_000;
const mostTries = 12;
/** Timeout of the request for an event, short because the process waits for it at its end. */
const timeoutMs = 10_000;
const retries = { initialMs: 10_000, factor: 1, capMs: 10_000, jitter: 0.25 };
/** After this many consecutive failures the server is at fault, and not an event. */
const mostFailures = 3;

/**
 * Writes events in the background, one after the other. Never blocks and never fails: events that do not fit into the
 * queue, are rejected, or fail 12 times are dropped; events of an instance that does not lead are dropped at once. An
 * event that the server cannot process is retried after others.
 */
export class EventWriter {
  readonly #input: EventWriterInput;
  readonly #delays: Backoff;
  readonly #queue: Waiting[] = [];
  /** Failed writes to be retried, in the order of their failures. */
  readonly #aside: Waiting[] = [];
  #pump: Promise<void> | undefined;
  #failures = 0;
  #isClosing = false;
  #isClosed = false;
  #isIdle = false;
  #wake: () => void = () => {};
  /** Number of requests that the server accepted, and of dropped writes. */
  written = 0;
  dropped = 0;

  constructor(input: EventWriterInput) {
    this.#input = input;
    this.#delays = new Backoff(retries, input.random);
  }

  /** False when the queue is full. */
  offer(write: EventWrite): boolean {
    if (this.#isClosed || this.#queue.length + this.#aside.length >= longestQueue) {
      this.dropped++;
      return false;
    }
    this.#queue.push({ ...write, tries: 0, dueMs: 0 });
    if (this.#isIdle) this.#wake();
    this.#pump ??= this.#writeAll();
    return true;
  }

  /** Resolves when everything offered so far has been written or dropped. */
  async drained(): Promise<void> {
    while (this.#pump !== undefined) await this.#pump;
  }

  /** Tries the writes in the queue until the first failure, then accepts no more. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#wake();
    await this.drained();
    this.#isClosed = true;
  }

  async #writeAll(): Promise<void> {
    while (this.#queue.length + this.#aside.length > 0) {
      const write = this.#next();
      if (write === undefined) await this.#idle();
      else await this.#write(write);
    }
    // Set in the same turn in which the queue is found empty, so that no offer is missed.
    this.#pump = undefined;
  }

  #next(): Waiting | undefined {
    const [first] = this.#aside;
    if (first !== undefined && first.dueMs <= this.#input.clock.now()) return this.#aside.shift();
    return this.#queue.shift() ?? (this.#isClosing ? this.#aside.shift() : undefined);
  }

  async #write(write: Waiting): Promise<void> {
    write.tries++;
    const answer = await this.#send(write);
    if (answer === "nothing") return;
    if (typeof answer === "number") {
      this.#failures = 0;
      if (answer < 300) this.written++;
      else this.dropped++;
      write.onAnswer?.(answer);
      return;
    }
    if (write.tries >= mostTries || this.#isClosing) this.#giveUp(write);
    // The end of the process does not wait for a server that does not respond.
    if (this.#isClosing) {
      for (const late of [...this.#queue.splice(0), ...this.#aside.splice(0)]) this.#giveUp(late);
      return;
    }
    const waitMs = this.#delays.next(this.#input.clock.now());
    if (write.tries < mostTries) {
      write.dueMs = this.#input.clock.now() + waitMs;
      this.#aside.push(write);
    }
    if (answer !== "unreachable" && ++this.#failures < mostFailures) return;
    // After the pause, one more failure is enough for another pause.
    this.#failures = mostFailures - 1;
    if (this.#queue.length + this.#aside.length > 0) await this.#pause(waitMs);
  }

  /** The status of the response; `failed`: the server failed for this event; `unreachable`: for all of them. */
  async #send({ request: makeRequest }: EventWrite): Promise<number | "nothing" | "failed" | "unreachable"> {
    const { transport, fence } = this.#input;
    const request = makeRequest();
    if (request === undefined) return "nothing";
    try {
      const beforeSend = (): void => fence.check();
      const { status } = await transport.send({ ...request, retries: 0, timeoutMs, beforeSend });
      if (status === 429) return "unreachable";
      return status < 500 ? status : "failed";
    } catch (error) {
      return error instanceof ConnectionError ? "unreachable" : "nothing";
    }
  }

  #giveUp(write: Waiting): void {
    this.dropped++;
    write.onAnswer?.(undefined);
  }

  /** Waits until a failed write is due, or a new one is offered. */
  async #idle(): Promise<void> {
    const [first] = this.#aside;
    this.#isIdle = true;
    await this.#pause((first?.dueMs ?? 0) - this.#input.clock.now());
    this.#isIdle = false;
  }

  #pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.#isClosing) resolve();
    const cancel = this.#input.clock.schedule(ms, resolve);
    this.#wake = resolve;
    return promise.finally(cancel);
  }
}
