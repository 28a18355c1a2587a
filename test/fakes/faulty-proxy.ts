import type { AddressInfo } from "node:net";
import { connect, createServer, type Server, type Socket } from "node:net";

/** A TCP proxy to a port of this machine that a test can make silent, or disconnect. */
export class FaultyProxy {
  readonly #server: Server;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #isSilent = false;
  #accepted = 0;
  #chunks = 0;

  private constructor(targetPort: number) {
    this.#server = createServer((near) => {
      this.#accepted += 1;
      const far = connect(targetPort, "127.0.0.1");
      const pair = [near, far] as const;
      this.#pairs.add(pair);
      for (const socket of pair) {
        socket.setNoDelay(true);
        socket.on("error", () => {});
        socket.once("close", () => {
          this.#pairs.delete(pair);
          // A silent connection does not report a closed connection to the other side.
          if (!this.#silenced.has(near)) for (const other of pair) other.destroy();
        });
      }
      near.on("data", () => {
        this.#chunks += 1;
      });
      near.pipe(far).pipe(near);
      if (this.#isSilent) this.#silence(pair);
    });
  }

  readonly #silenced = new WeakSet<Socket>();

  static async open(targetPort: number): Promise<FaultyProxy> {
    const line = new FaultyProxy(targetPort);
    await new Promise<void>((resolve) => line.#server.listen(0, "127.0.0.1", resolve));
    return line;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Number of connections so far. */
  get accepted(): number {
    return this.#accepted;
  }

  /** Number of chunks that clients sent so far. */
  get chunks(): number {
    return this.#chunks;
  }

  /** From now on existing connections pass no bytes, without an error. New ones work. */
  blackHole(): void {
    for (const pair of this.#pairs) this.#silence(pair);
  }

  /** Whether new connections are silent too. */
  set isSilent(value: boolean) {
    this.#isSilent = value;
  }

  /** Closes every connection with RST. */
  reset(): void {
    for (const [near, far] of this.#pairs) {
      near.resetAndDestroy();
      far.destroy();
    }
  }

  /** Rejects new connections and closes existing ones. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
    await closed;
  }

  #silence(pair: readonly [Socket, Socket]): void {
    const [near, far] = pair;
    this.#silenced.add(near);
    near.unpipe(far);
    far.unpipe(near);
    near.pause();
    far.pause();
  }
}
