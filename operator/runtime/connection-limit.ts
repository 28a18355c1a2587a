import type { Server } from "node:http";
import type { Socket } from "node:net";

export interface ConnectionLimitOptions {
  /** Maximum number of concurrent connections. */
  readonly most: number;
  /** Whether a connection is never closed to accept another one, such as a connection of an authenticated sender. */
  readonly isKept?: (socket: Socket) => boolean;
}

/**
 * Limits the connections of a server. Instead of refusing a new one, it closes the oldest of the address that has the
 * most, so that idle connections do not block others.
 */
export function limitConnections(
  server: Server,
  { most, isKept = () => false }: ConnectionLimitOptions,
): void {
  /** Oldest first, with their addresses, which a closed socket no longer has. */
  const sockets = new Map<Socket, string>();
  server.on("connection", (socket: Socket) => {
    sockets.set(socket, socket.remoteAddress ?? "");
    socket.once("close", () => sockets.delete(socket));
    if (sockets.size <= most) return;
    const held = [...sockets].map(([each, address]) => ({ socket: each, address, weight: 1 }));
    const oldest = oldestOfLargest(held, (other) => other.socket === socket || isKept(other.socket));
    const victim = oldest?.socket ?? socket;
    sockets.delete(victim);
    victim.destroy();
  });
}

/** Something that an address holds, and its weight. */
export interface Held {
  readonly address: string;
  readonly weight: number;
}

/**
 * The item to remove when the limit is reached: the oldest item of the address that holds the most, so that no address
 * can block others. Pure.
 *
 * @param held The oldest first. @param isSpared Items that are never removed; they count for their address.
 */
export function oldestOfLargest<Item extends Held>(
  held: readonly Item[],
  isSpared: (item: Item) => boolean = () => false,
): Item | undefined {
  const sums = new Map<string, number>();
  for (const { address, weight } of held) sums.set(address, (sums.get(address) ?? 0) + weight);
  const candidates = held.filter((item) => !isSpared(item));
  const most = Math.max(...candidates.map(({ address }) => sums.get(address) ?? 0));
  return candidates.find(({ address }) => sums.get(address) === most);
}
