import type { IncomingHttpHeaders } from "node:http";

/** Where the instance is that leads: this one, another one, or nobody knows. */
export type Leader = "self" | { readonly address: string } | undefined;

/** Marks what a standby passed on, so that it is passed on once. */
export const FORWARDED_HEADER = "x-fairlead-forwarded";

const timeoutMs = 2_000;
/** What the leader has no use for, or what belongs to one connection. */
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
 * Gives a request that was found to be signed to the instance that leads, as it came: the leader checks the signature itself.
 *
 * @returns Whether the leader took it. Never rejects.
 */
export function passOn({ address, path, headers, body }: PassOnInput): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const url = URL.parse(`http://${address}${path}`);
  if (url === null) return Promise.resolve(false);
  const kept = Object.entries(headers).filter(([name]) => !ownHeaders.has(name));
  // An import would also load Node's own undici; see http-server.ts.
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
