import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";

/** The TCP connections below the TLS connections, so that they can be closed with RST, as by a network failure. */
export class RawConnections {
  readonly #byPort = new Map<number, Socket>();
  readonly #owners = new Map<Socket, string>();

  add(socket: Socket): void {
    const { remotePort = 0 } = socket;
    this.#byPort.set(remotePort, socket);
    socket.setNoDelay(true);
    socket.on("error", () => {});
    socket.once("close", () => {
      this.#byPort.delete(remotePort);
      this.#owners.delete(socket);
    });
  }

  /** Sets the owner of a connection, which is known after the first request. */
  own(tls: Pick<TLSSocket, "remotePort">, owner: string): void {
    const socket = this.#byPort.get(tls.remotePort ?? 0);
    if (socket !== undefined) this.#owners.set(socket, owner);
  }

  reset(tls: Pick<TLSSocket, "remotePort">): void {
    this.#byPort.get(tls.remotePort ?? 0)?.resetAndDestroy();
  }

  /** Closes all connections whose owner matches. A connection without a request has no owner. */
  resetAll(isMeant: (owner: string) => boolean = () => true): number {
    const meant = [...this.#byPort.values()].filter((socket) => isMeant(this.#owners.get(socket) ?? ""));
    for (const socket of meant) socket.resetAndDestroy();
    return meant.length;
  }
}
