import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** A TCP proxy to a port of this machine that delays the bytes of clients. */
export class SlowProxy {
  /** The delay from now on. */
  delayMs = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #bytesUnderWay = 0;

  private constructor(targetPort: number) {
    this.#server = createServer((near) => {
      const far = connect(targetPort, "127.0.0.1");
      for (const [socket, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(socket);
        socket.setNoDelay(true);
        socket.on("error", () => {});
        socket.once("close", () => {
          this.#sockets.delete(socket);
          other.destroy();
        });
      }
      far.pipe(near);
      near.on("data", (chunk: Buffer) => this.#pass(chunk, far));
    });
  }

  static async open(targetPort: number): Promise<SlowProxy> {
    const line = new SlowProxy(targetPort);
    await new Promise<void>((resolve) => line.#server.listen(0, "127.0.0.1", resolve));
    return line;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Number of bytes that were sent and have not arrived. */
  get bytesUnderWay(): number {
    return this.#bytesUnderWay;
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  /** Timers of one length fire in their order, so the bytes stay in order. */
  #pass(chunk: Buffer, far: Socket): void {
    if (this.delayMs === 0 && this.#bytesUnderWay === 0) {
      far.write(chunk);
      return;
    }
    this.#bytesUnderWay += chunk.length;
    setTimeout(() => {
      this.#bytesUnderWay -= chunk.length;
      far.write(chunk);
    }, this.delayMs);
  }
}
