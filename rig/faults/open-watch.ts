import type { IncomingMessage } from "node:http";
import type { WireFault } from "./active-faults.ts";

/** The operator's side of a watch. */
export interface WatchSink {
  write(bytes: Uint8Array): void;
  /** Ends the response normally. */
  end(): void;
  /** Resets the connection after the written data was sent. */
  cut(): void;
}

export interface OpenWatchOptions {
  readonly slot: number;
  readonly upstream: IncomingMessage;
  readonly sink: WatchSink;
  /** The fault of the next event. */
  readonly pick: () => WireFault | undefined;
  readonly onHit: (fault: WireFault) => void;
}

const newline = 10;
const expired = {
  type: "ERROR",
  object: {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: "The resourceVersion for the provided watch is too old.",
    reason: "Expired",
    code: 410,
  },
};

/** A watch through the proxy, forwarded event by event. */
export class OpenWatch {
  readonly slot: number;
  readonly #options: OpenWatchOptions;
  #rest: Buffer = Buffer.alloc(0);
  #state: "open" | "silent" | "over" = "open";

  constructor(options: OpenWatchOptions) {
    this.slot = options.slot;
    this.#options = options;
  }

  /** Forwards events until the watch ends. */
  async run(): Promise<void> {
    const { upstream, sink } = this.#options;
    try {
      for await (const chunk of upstream) {
        if (this.#state === "over") return;
        this.#take(chunk as Buffer);
      }
      if (this.#state === "open") sink.end();
    } catch {
      if (this.#state === "open") sink.cut();
    } finally {
      // In a black hole, the client is not notified of the end until its connection is closed.
      if (this.#state === "silent") upstream.destroy();
      else this.#leave("over");
    }
  }

  /** Ends the watch with 410, as the API server does if it no longer has the version. */
  expire(): void {
    if (this.#state !== "open") return;
    this.#options.sink.write(Buffer.from(`${JSON.stringify(expired)}\n`));
    this.#options.sink.end();
    this.#leave("over");
  }

  /** Stops forwarding without a notification of the client. */
  silence(): void {
    if (this.#state === "open") this.#state = "silent";
  }

  cut(): void {
    if (this.#state === "over") return;
    this.#options.sink.cut();
    this.#leave("over");
  }

  #leave(state: "over"): void {
    this.#state = state;
    this.#options.upstream.destroy();
  }

  #take(chunk: Buffer): void {
    const { sink, pick, onHit } = this.#options;
    const bytes = Buffer.concat([this.#rest, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
      const line = bytes.subarray(start, end + 1);
      start = end + 1;
      if (this.#state !== "open") continue;
      const fault = pick();
      if (fault === undefined) {
        sink.write(line);
        continue;
      }
      onHit(fault);
      // Send a part of the event: from no bytes to all except the newline.
      sink.write(line.subarray(0, Math.floor(fault.amount * line.length)));
      if (fault.type === "half-event") sink.end();
      else sink.cut();
      this.#leave("over");
      return;
    }
    this.#rest = Buffer.from(bytes.subarray(start));
  }
}
