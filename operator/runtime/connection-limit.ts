import type { Server } from "node:http";
import type { Socket } from "node:net";

export interface ConnectionLimitOptions {
  /** Connections at a time. */
  readonly most: number;
  /** Whether a connection is never closed for another one, such as one whose sender is known. */
  readonly isKept?: (socket: Socket) => boolean;
}

/**
 * Bounds the connections of a server. Instead of refusing a new one, it closes the oldest of the address that has the most: idle
 * connections cannot keep others out.
 */
export function limitConnections(
  server: Server,
  { most, isKept = () => false }: ConnectionLimitOptions,
): void {
  /** Oldest first, with their addresses, which a closed socket has no more. */
  const sockets = new Map<Socket, string>();
  server.on("connection", (socket: Socket) => {
    sockets.set(socket, socket.remoteAddress ?? "");
    socket.once("close", () => sockets.delete(socket));
    if (sockets.size <= most) return;
    const victim = victimOf(sockets, (other) => other === socket || isKept(other)) ?? socket;
    sockets.delete(victim);
    victim.destroy();
  });
}

function victimOf(
  sockets: ReadonlyMap<Socket, string>,
  isSpared: (socket: Socket) => boolean,
): Socket | undefined {
  const counts = new Map<string, number>();
  for (const address of sockets.values()) counts.set(address, (counts.get(address) ?? 0) + 1);
  const candidates = [...sockets].filter(([socket]) => !isSpared(socket));
  const most = Math.max(...candidates.map(([, address]) => counts.get(address) ?? 0));
  return candidates.find(([, address]) => counts.get(address) === most)?.[0];
}
