import { type HttpServer, listenHttp } from "../../runtime/http-server.ts";
import { createHooksRoute, type HooksRouteOptions } from "./hooks-route.ts";

/**
 * Serves hooks at an address. Unlike probes and metrics it is open to strangers: headers must be there within 5 s and a
 * whole request within 10 s, and of connections there are 256 at most.
 *
 * @param address `:9292`, `127.0.0.1:9292`; `0` serves nothing and gives undefined.
 * @throws ListenError naming the address, or RangeError when it is malformed.
 */
export async function serveHooks(
  address: string,
  options: HooksRouteOptions,
): Promise<HttpServer | undefined> {
  return await listenHttp(address, createHooksRoute(options), {
    limits: {
      headersTimeout: 5_000,
      requestTimeout: 10_000,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: 5_000,
      maxHeaderSize: 16 * 1024,
      maxConnections: 256,
    },
  });
}
