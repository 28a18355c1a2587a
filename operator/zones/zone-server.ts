import { once } from "node:events";
import { rmdirSync, rmSync } from "node:fs";
import { chmod, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname } from "node:path";
import { Link, type LinkOptions } from "./link.ts";

export interface ZoneServerOptions extends LinkOptions {
  /**
   * Path of the Unix socket to listen on; the socket of an earlier process is removed. A number is the descriptor of a
   * socket that the launcher has created.
   */
  readonly socket: string | number;
}

export interface ZoneServer {
  close(): void;
}

/** In a cluster the operator has another user id than the zone, and shares the pod's group with it. */
const SOCKET_MODE = 0o660;

/**
 * Listens for the operator. One connection at a time: a zone serves one operator, and another process cannot take over
 * an open connection.
 */
export async function serveZone({ socket, ...options }: ZoneServerOptions): Promise<ZoneServer> {
  if (typeof socket === "string") await rm(socket, { force: true });
  let link: Link | undefined;
  const server = createServer((stream) => {
    if (link?.isClosed === false) stream.destroy();
    else link = new Link(stream, options);
  });
  server.listen(typeof socket === "string" ? { path: socket } : { fd: socket });
  await once(server, "listening");
  if (typeof socket === "string") await chmod(socket, SOCKET_MODE);
  return {
    close: () => {
      server.close();
      link?.close();
    },
  };
}

/**
 * Removes a socket, and its folder after the last one. The folder of a container stays, because a volume is mounted
 * there.
 */
export function removeSocket(path: string): void {
  try {
    rmSync(path, { force: true });
    rmdirSync(dirname(path));
  } catch {
    // Not empty, or a mount.
  }
}
