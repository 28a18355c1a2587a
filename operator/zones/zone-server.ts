import { once } from "node:events";
import { rmdirSync, rmSync } from "node:fs";
import { chmod, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname } from "node:path";
import { Link, type LinkOptions } from "./link.ts";

export interface ZoneServerOptions extends LinkOptions {
  /**
   * Path of the Unix socket to listen on; what is left of an earlier process there is removed. A number is the descriptor of
   * a socket that the launcher has made.
   */
  readonly socket: string | number;
}

export interface ZoneServer {
  close(): void;
}

/** In a cluster the operator has another user id than the zone, and the pod's group in common with it. */
const SOCKET_MODE = 0o660;

/**
 * Listens for the operator. One connection at a time: a zone serves one operator, and a process that should not be there
 * cannot take its place.
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

/** Removes a socket, and its folder after the last one. A container's folder stays, because a volume is mounted there. */
export function removeSocket(path: string): void {
  try {
    rmSync(path, { force: true });
    rmdirSync(dirname(path));
  } catch {
    // Not empty, or a mount.
  }
}
