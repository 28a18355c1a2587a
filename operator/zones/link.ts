import type { Duplex } from "node:stream";
import type { Clock } from "../ports.ts";
import { TimeSlice } from "../runtime/time-slice.ts";
import { ZoneLostError, ZoneProtocolError } from "./errors.ts";
import type { Frame } from "./frame.ts";
import { type FrameLimits, FrameReader } from "./frame-reader.ts";
import { IncomingRequests, type Serve } from "./incoming-requests.ts";
import { LinkWriter } from "./link-writer.ts";
import { type Header, type Message, PROTOCOL, readHeader } from "./messages.ts";
import { OutgoingRequests, type Received, type RequestOptions } from "./outgoing-requests.ts";

export interface LinkOptions {
  readonly clock: Clock;
  /** Name of the zone: both sides must send the same name. */
  readonly zone: string;
  /** Limits for the frames of the other side. */
  readonly limits: FrameLimits;
  /** Answers requests of the other side. Default: requests are not allowed. */
  readonly serve?: Serve;
  /**
   * Maximum number of parts of a request of the other side. Default: 0, so that many concurrent requests take little
   * memory.
   */
  readonly requestParts?: number;
  /**
   * The body of an error answer. Default: empty, because an error's text may contain more than the other side may know.
   */
  readonly describeError?: (error: unknown) => unknown;
}

/** The longest possible timer: 24 days. */
const FOLLOW_MS = 2 ** 31 - 1;

/**
 * One connection between two zones. Both sides may send requests, several at a time, and answer with any number of items
 * and one answer. Everything that the other side sends is untrusted: after the first frame that violates the protocol
 * the connection is closed, and all running requests fail with ZoneLostError.
 */
export class Link {
  readonly #stream: Duplex;
  readonly #options: LinkOptions;
  readonly #reader: FrameReader;
  readonly #writer: LinkWriter;
  readonly #outgoing: OutgoingRequests;
  readonly #incoming: IncomingRequests;
  readonly #ready = Promise.withResolvers<void>();
  readonly #closed = Promise.withResolvers<Error>();
  #isGreeted = false;
  #isClosed = false;

  constructor(stream: Duplex, options: LinkOptions) {
    const { clock, zone, limits, serve = refuse, requestParts = 0, describeError = () => ({}) } = options;
    this.#stream = stream;
    this.#options = options;
    this.#reader = new FrameReader(limits);
    this.#writer = new LinkWriter(stream);
    this.#outgoing = new OutgoingRequests({ writer: this.#writer, clock, zone });
    this.#incoming = new IncomingRequests({
      writer: this.#writer,
      serve: (request) => serve(request, this),
      describeError,
      mostParts: requestParts,
    });
    this.#ready.promise.catch(() => {});
    stream.on("data", (chunk: Buffer) => this.#hear(chunk));
    stream.on("error", (error) => this.close(error));
    stream.on("end", () => this.close());
    stream.on("close", () => this.close());
    void this.#writer.write({ is: "hello", protocol: PROTOCOL, zone });
  }

  /** Resolves when the other side has sent its hello frame; rejects if the connection ends before. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** Resolves with the reason when the connection has ended. */
  get closed(): Promise<Error> {
    return this.#closed.promise;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /**
   * Sends a request.
   *
   * @returns The result of `options.read` for the answer.
   * @throws ZoneLostError, ZoneDeadlineError; ZoneAnswerError if the other side answers with an error.
   */
  request<Answer>(name: string, message: Message, options: RequestOptions<Answer>): Promise<Answer> {
    return this.#outgoing.send(name, message, options);
  }

  /**
   * Sends a request whose answer is a stream: its items arrive until the connection ends, and a final answer ends the
   * connection.
   */
  follow(name: string, message: Message, onItem: (item: Received) => void): void {
    this.request(name, message, { read: () => undefined, onItem, deadlineMs: FOLLOW_MS })
      .catch(() => undefined)
      .finally(() => this.close());
  }

  /** Ends the connection. */
  close(reason: Error = new Error("the connection was closed")): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const lost = new ZoneLostError(this.#options.zone, { cause: reason });
    this.#stream.destroy();
    this.#writer.close();
    this.#incoming.close(lost);
    this.#outgoing.close(lost);
    this.#ready.reject(lost);
    this.#closed.resolve(reason);
  }

  #hear(chunk: Buffer): void {
    const { clock, zone } = this.#options;
    const slice = new TimeSlice(clock);
    try {
      for (const frame of this.#reader.push(chunk)) {
        if (this.#isClosed) return;
        this.#accept(readHeader(frame.header), frame.parts);
      }
    } catch (error) {
      const what = error instanceof Error ? error.message : String(error);
      this.close(
        error instanceof ZoneProtocolError ? error : new ZoneProtocolError(zone, what, { cause: error }),
      );
      return;
    }
    if (!slice.isOver) return;
    this.#stream.pause();
    void slice.next().then(() => this.#stream.resume());
  }

  #accept(header: Header, parts: Frame["parts"]): void {
    const { zone } = this.#options;
    const refuse = (what: string): never => {
      throw new ZoneProtocolError(zone, what);
    };
    if (header.is === "hello") {
      if (this.#isGreeted) refuse("a second hello");
      if (header.protocol !== PROTOCOL || header.zone !== zone)
        refuse(`a hello of another zone or protocol version; expected version ${PROTOCOL}`);
      this.#isGreeted = true;
      this.#ready.resolve();
      return;
    }
    if (!this.#isGreeted) refuse("no hello");
    if (header.is === "request") this.#incoming.begin(header, parts);
    else if (header.is === "cancel") this.#incoming.cancel(header.id);
    else this.#outgoing.receive(header, parts);
  }
}

const refuse: Serve = async ({ name }) => {
  throw new RangeError(`There is no request "${name}"`);
};
