import type { IncomingHttpHeaders } from "node:http";

/** The leading instance: this one, another one, or unknown. */
export type Leader = "self" | { readonly address: string } | undefined;

/** Marks a request that a standby passed on, so that it is passed on only once. */
export const FORWARDED_HEADER = "x-fairlead-forwarded";

const timeoutMs = 2_000;
/** Headers that the leader does not need, or that belong to one connection. */
const ownHeaders = new Set([
  "host",
  "connection",
  "content-length",
  "transfer-encoding",
  "expect",
  "keep-alive",
]);

export interface PassOnInput {
  /** `HOST:PORT` of the leader's hooks. */
  readonly address: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/**
 * Passes a request with a valid signature on to the leader, unchanged: the leader checks the signature itself.
 *
 * @returns Whether the leader accepted it. Never rejects.
 */
export function passOn({ address, path, headers, body }: PassOnInput): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const url = URL.parse(`http://${address}${path}`);
  if (url === null) return Promise.resolve(false);
  const kept = Object.entries(headers).filter(([name]) => !ownHeaders.has(name));
  // An import statement would also load Node's own undici; see http-server.ts.
  const { request } = process.getBuiltinModule("node:http");
  const passed = request(url, {
    method: "POST",
    agent: false,
    timeout: timeoutMs,
    signal: AbortSignal.timeout(timeoutMs),
    headers: { ...Object.fromEntries(kept), "content-length": body.length, [FORWARDED_HEADER]: "1" },
  });
  passed.on("response", (response) => {
    response.resume();
    resolve(response.statusCode === 202);
  });
  passed.on("error", () => resolve(false));
  passed.end(body);
  return promise;
}
