import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";

export interface LoopbackRequest {
  readonly method?: "GET" | "POST";
  readonly token?: string;
  /**
   * Trusted certificate as PEM. Without it the certificate is not verified: only for health checks, which send no
   * secret.
   */
  readonly certificate?: string;
  readonly body?: object;
  readonly timeoutMs?: number;
}

export interface LoopbackResponse {
  readonly status: number;
  readonly text: string;
}

/**
 * Sends one request on a connection of its own.
 *
 * @throws Error if there is no response in time, or no server.
 */
export function sendLoopback(url: string, options: LoopbackRequest = {}): Promise<LoopbackResponse> {
  const { method = "GET", token, certificate, body, timeoutMs = 5_000 } = options;
  const headers = {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(body !== undefined && { "content-type": "application/json" }),
  };
  const trust = certificate === undefined ? { rejectUnauthorized: false } : { ca: certificate };
  const signal = AbortSignal.timeout(timeoutMs);
  const settings = { method, headers, agent: false, signal } as const;
  return new Promise((resolve, fail) => {
    const reject = (error: Error): void =>
      fail(
        signal.aborted
          ? new Error(`No answer from ${url} within ${timeoutMs / 1_000} s`, { cause: error })
          : error,
      );
    const call = url.startsWith("https:")
      ? requestHttps(url, { ...settings, ...trust })
      : requestHttp(url, settings);
    call.once("error", reject);
    call.once("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("error", reject);
      response.once("end", () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
      );
    });
    call.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
