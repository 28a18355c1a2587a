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
    const held = [...sockets].map(([each, address]) => ({ socket: each, address, weight: 1 }));
    const oldest = oldestOfLargest(held, (other) => other.socket === socket || isKept(other.socket));
    const victim = oldest?.socket ?? socket;
    sockets.delete(victim);
    victim.destroy();
  });
}

/** Something that an address holds, and how much it counts. */
export interface Held {
  readonly address: string;
  readonly weight: number;
}

/**
 * The item to remove when there is no more room: the oldest item of the address that holds the most, so that no address can
 * keep others out. Pure.
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
