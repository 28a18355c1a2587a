import type { Socket } from "node:net";
import { type HttpServer, listenHttp } from "../runtime/http-server.ts";
import { createHooksRoute, type HooksRouteOptions } from "./hooks-route.ts";

const MOST_CONNECTIONS = 256;

/**
 * Serves hooks at an address. Unlike probes and metrics it is accessible to untrusted senders: headers must arrive
 * within 5 s and a whole request within 10 s. With more than 256 connections the oldest one is closed, of the address
 * that has the most.
 *
 * @param address `:9292`, `127.0.0.1:9292`; `0` serves nothing and returns undefined.
 * @throws ListenError naming the address, or RangeError when it is malformed.
 */
export async function serveHooks(
  address: string,
  options: Omit<HooksRouteOptions, "onSigned">,
): Promise<HttpServer | undefined> {
  const signed = new WeakSet<Socket>();
  const route = createHooksRoute({ ...options, onSigned: ({ socket }) => void signed.add(socket) });
  return await listenHttp(address, route, {
    connections: { most: MOST_CONNECTIONS, isKept: (socket) => signed.has(socket) },
    limits: {
      headersTimeout: 5_000,
      requestTimeout: 10_000,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: 5_000,
      maxHeaderSize: 16 * 1024,
    },
  });
}
