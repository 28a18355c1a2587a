import type { RequestListener, Server, ServerOptions } from "node:http";
import type { AddressInfo } from "node:net";
import type { Logger } from "../ports.ts";
import { type ConnectionLimitOptions, limitConnections } from "./connection-limit.ts";

export interface HttpAnswer {
  readonly status: number;
  readonly contentType?: string;
  readonly body: string;
}

/** Responds to a GET, or returns undefined for an unknown path. */
export type HttpRoute = (url: URL) => Promise<HttpAnswer | undefined> | HttpAnswer | undefined;

export interface HttpServer {
  /** Its listening address, `HOST:PORT`. */
  readonly address: string;
  close(): Promise<void>;
}

/** The address is in use, not available on this machine, or not allowed. */
export class ListenError extends Error {
  override readonly name = "ListenError";
}

/**
 * Serves `route` over HTTP.
 *
 * @param address `:8080`, `127.0.0.1:8080`; `0` serves nothing and gives undefined.
 * @throws ListenError with the address, or RangeError if it is invalid.
 */
export async function serveHttp(
  address: string,
  route: HttpRoute,
  { log }: { readonly log: Logger },
): Promise<HttpServer | undefined> {
  return await listenHttp(address, (request, response) => {
    const send = ({ status, contentType = "text/plain; charset=utf-8", body }: HttpAnswer): void => {
      response.writeHead(status, { "Content-Type": contentType, "X-Content-Type-Options": "nosniff" });
      response.end(request.method === "HEAD" ? undefined : body);
    };
    if (request.method !== "GET" && request.method !== "HEAD")
      return send({ status: 405, body: "method not allowed\n" });
    answer(route, request.url ?? "/").then(send, (error: unknown) => {
      log.error("Cannot answer an HTTP request", { path: request.url, error });
      send({ status: 500, body: "internal error\n" });
    });
  });
}

export interface ListenOptions {
  readonly limits?: ServerOptions;
  /** Default: no limit. */
  readonly connections?: ConnectionLimitOptions;
}

/**
 * Passes all requests to a listener, also those that wait for a response before they send a body
 * (`Expect: 100-continue`). The parameter `address` and the errors are those of {@link serveHttp}.
 */
export async function listenHttp(
  address: string,
  listener: RequestListener,
  { limits = {}, connections }: ListenOptions = {},
): Promise<HttpServer | undefined> {
  const bind = parseBindAddress(address);
  if (bind === undefined) return undefined;
  // An import of this module, unlike this, also loads Node's own undici: 14 MiB and 50 ms (tried with Node 26).
  const { createServer } = process.getBuiltinModule("node:http");
  const server = createServer({ keepAliveTimeout: 5_000, requestTimeout: 10_000, ...limits }, listener);
  server.on("checkContinue", listener);
  if (connections !== undefined) limitConnections(server, connections);
  await listen(server, address, bind);
  return { address: formatAddress(server.address() as AddressInfo), close: () => close(server) };
}

interface BindAddress {
  /** Undefined: all interfaces. */
  readonly host: string | undefined;
  readonly port: number;
}

/**
 * Parses an address in the form that Kubernetes components accept: `:8080`, `127.0.0.1:8080`, `[::1]:8080`; port 0 is
 * any free one.
 *
 * @returns Undefined for `0` and the empty text: disabled.
 * @throws RangeError for any other text.
 */
export function parseBindAddress(text: string): BindAddress | undefined {
  if (text === "0" || text === "") return undefined;
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits === undefined || port > 65_535) {
    throw new RangeError(`Cannot listen on "${text}": expected [HOST]:PORT, or 0 to disable it`);
  }
  return { host: (bracketed ?? plain) || undefined, port };
}

/** `127.0.0.1:8080`, `[::1]:8080`. */
export function formatAddress({ address, family, port }: AddressInfo): string {
  return family === "IPv6" ? `[${address}]:${port}` : `${address}:${port}`;
}

async function answer(route: HttpRoute, path: string): Promise<HttpAnswer> {
  if (!URL.canParse(path, "http://localhost")) return { status: 400, body: "bad request\n" };
  return (await route(new URL(path, "http://localhost"))) ?? { status: 404, body: "not found\n" };
}

function listen(server: Server, address: string, { host, port }: BindAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const why = error.code === "EADDRINUSE" ? "another program listens there" : error.message;
      reject(new ListenError(`Cannot listen on "${address}": ${why}`, { cause: error }));
    });
    server.listen({ port, ...(host !== undefined && { host }) }, resolve);
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
