import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { ClusterAccess } from "../../operator/cluster/cluster-access.ts";
import { FaultyProxy } from "./faulty-proxy.ts";
import { selfSignedCertificate } from "./self-signed-certificate.ts";

/** A request as received by the server. */
export interface ScriptedRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  readonly httpVersion: string;
}

/** Handles a request for a test. A request that it never ends stays open. */
export interface ScriptedAnswer {
  /** A complete JSON response. */
  json(status: number, body: unknown, headers?: Readonly<Record<string, string>>): void;
  /** A rejection with a `Status` object. */
  refuse(status: number, reason: string, message: string, headers?: Readonly<Record<string, string>>): void;
  /** Starts a watch stream: status 200, headers sent at once. */
  stream(): ScriptedStream;
  /** Closes the connection (RST), with every other request on it. */
  reset(): void;
}

export interface ScriptedStream {
  /** One watch event, as a line of JSON. */
  send(type: string, object: unknown): void;
  /** Raw bytes: a partial line, a partial character. */
  bytes(chunk: string | Uint8Array): void;
  /** A normal end. */
  end(): void;
  /** Whether the client has disconnected. */
  readonly isClosed: boolean;
}

export type Script = (request: ScriptedRequest, answer: ScriptedAnswer) => void | Promise<void>;

type AnyRequest = IncomingMessage | Http2ServerRequest;
type AnyResponse = ServerResponse | Http2ServerResponse;

/**
 * An API server on a socket of 127.0.0.1 whose responses a test defines. All data passes through {@link FaultyProxy},
 * which can become silent or disconnect.
 */
export class ScriptedApiServer implements AsyncDisposable {
  /** Every request so far. */
  readonly requests: ScriptedRequest[] = [];
  readonly line: FaultyProxy;
  /** Access for the operator's transport; the token is `scripted-token`. */
  readonly access: ClusterAccess;
  /** Responds to requests; a test may replace it at any time. By default every response is 404. */
  script: Script = (_, answer) => answer.refuse(404, "NotFound", "nothing is scripted");
  readonly #close: () => Promise<void>;

  private constructor(line: FaultyProxy, access: ClusterAccess, close: () => Promise<void>) {
    this.line = line;
    this.access = access;
    this.#close = close;
  }

  /** @param options.protocol `h2` and `https` (HTTP/1.1) use TLS. */
  static async start({
    protocol = "http",
  }: {
    protocol?: "http" | "https" | "h2";
  } = {}): Promise<ScriptedApiServer> {
    const { certificate, key } = selfSignedCertificate();
    let scripted: ScriptedApiServer | undefined;
    const listener = (request: AnyRequest, response: AnyResponse) => void scripted?.answer(request, response);
    const tls = { cert: certificate, key };
    const server = {
      http: () => createServer(listener),
      https: () => createTlsServer(tls, listener),
      h2: () => createSecureServer({ ...tls, allowHTTP1: true }, listener),
    }[protocol]();
    server.on("error", () => {});
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const line = await FaultyProxy.open((server.address() as AddressInfo).port);
    const scheme = protocol === "http" ? "http" : "https";
    const access: ClusterAccess = {
      server: new URL(`${scheme}://127.0.0.1:${line.port}`),
      namespace: "default",
      verifiesServer: true,
      tls: async () => ({ ca: certificate }),
      authorization: async () => "Bearer scripted-token",
      forget: () => {},
    };
    scripted = new ScriptedApiServer(line, access, async () => {
      await line.close();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    });
    return scripted;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }

  /** Passes a request to the script. */
  async answer(request: AnyRequest, response: AnyResponse): Promise<void> {
    request.on("error", () => {});
    response.on("error", () => {});
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return;
    }
    const url = new URL(request.url ?? "/", "http://scripted");
    const { pathname: path, searchParams: query } = url;
    const { method = "GET", headers, httpVersion } = request;
    const body = Buffer.concat(chunks).toString("utf8");
    const scripted: ScriptedRequest = { method, path, query, headers, body, httpVersion };
    this.requests.push(scripted);
    await this.script(scripted, answerOn(response, this.line));
  }
}

function answerOn(either: AnyResponse, line: FaultyProxy): ScriptedAnswer {
  // The two response classes have all used members in common, but a union of them is not callable.
  const response = either as ServerResponse;
  function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): void {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(body));
  }
  return {
    json,
    refuse(code, reason, message, headers) {
      const body = { kind: "Status", apiVersion: "v1", status: "Failure", reason, message, code };
      json(code, body, headers);
    },
    stream() {
      response.writeHead(200, { "content-type": "application/json" });
      response.flushHeaders();
      let isClosed = false;
      response.once("close", () => {
        isClosed = true;
      });
      const write = (chunk: string | Uint8Array) => void response.write(chunk);
      return {
        send: (type, object) => write(`${JSON.stringify({ type, object })}\n`),
        bytes: write,
        end: () => void response.end(),
        get isClosed() {
          return isClosed;
        },
      };
    },
    reset: () => line.reset(),
  };
}
