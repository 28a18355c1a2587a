import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";

/** The API server behind the proxy, and the proxy's user. */
export interface Upstream {
  readonly server: URL;
  readonly certificate: string;
  readonly token: string;
}

export interface ForwardedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  readonly auditId: string;
  readonly signal?: AbortSignal;
}

const passedOn = ["accept", "content-type", "user-agent"];

/** Connections to the API server, which have no faults. */
export class UpstreamConnections {
  readonly #agent: Agent;
  readonly #upstream: Upstream;

  constructor(upstream: Upstream) {
    this.#upstream = upstream;
    this.#agent = new Agent({ keepAlive: true, ca: upstream.certificate });
  }

  /** Resolves with the head of the response. Rejects if there is no response. */
  send({ method, path, headers, body, auditId, signal }: ForwardedRequest): Promise<IncomingMessage> {
    const { server, token } = this.#upstream;
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const sent = request(
      {
        host: server.hostname,
        port: server.port,
        method,
        path,
        agent: this.#agent,
        signal,
        headers: {
          ...Object.fromEntries(passedOn.flatMap((name) => (headers[name] ? [[name, headers[name]]] : []))),
          authorization: `Bearer ${token}`,
          "audit-id": auditId,
          "content-length": String(body.length),
        },
      },
      resolve,
    );
    sent.on("error", reject);
    sent.end(body);
    return promise;
  }

  close(): void {
    this.#agent.destroy();
  }
}

export async function readAll(stream: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
