import { spawn } from "node:child_process";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { SelfSignedCertificate } from "./self-signed-certificate.ts";

export interface GitHttpServerOptions {
  /** Folder with bare repositories. */
  readonly root: string;
  readonly certificate: SelfSignedCertificate;
  /** The accepted values of the Authorization header. */
  readonly authorizations: readonly string[];
  /** Supports only version 0 of git's protocol, as old hosts do. */
  readonly oldProtocol?: boolean;
  /** Called for every request, with the status of its rejection, if any. */
  readonly onRequest?: (request: {
    readonly url: string;
    readonly authorization: string | undefined;
  }) => void;
}

/** A git host over https: `git http-backend` with TLS and the Authorization header. Does not listen yet. */
export function gitHttpServer(options: GitHttpServerOptions): Server {
  const { certificate, key } = options.certificate;
  return createServer({ cert: certificate, key }, (request, response) => answer(request, response, options));
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { root, authorizations, onRequest, oldProtocol = false }: GitHttpServerOptions,
): void {
  const { authorization } = request.headers;
  const { pathname, search } = new URL(request.url ?? "/", "https://host");
  if (pathname === "/ready") {
    response.end();
    return;
  }
  onRequest?.({ url: request.url ?? "", authorization });
  if (authorization === undefined || !authorizations.includes(authorization)) {
    response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end("not you");
    return;
  }
  const backend = spawn("git", ["http-backend"], {
    env: {
      PATH: process.env["PATH"],
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "http.receivepack",
      GIT_CONFIG_VALUE_0: "true",
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
      ...(request.headers["content-length"] && { CONTENT_LENGTH: request.headers["content-length"] }),
      HTTP_GIT_PROTOCOL: oldProtocol ? "" : String(request.headers["git-protocol"] ?? ""),
      REMOTE_USER: "operator",
      REMOTE_ADDR: "127.0.0.1",
    },
    stdio: ["pipe", "pipe", "ignore"],
  });
  request.pipe(backend.stdin);
  backend.stdin.on("error", () => undefined); // It may respond before it has read everything.
  void relay(backend.stdout, response);
}

/** Converts the output of a CGI program (RFC 3875) to a response. */
async function relay(output: NodeJS.ReadableStream, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of output) chunks.push(Buffer.from(chunk as Buffer));
  const all = Buffer.concat(chunks);
  const end = all.indexOf("\r\n\r\n");
  let status = 200;
  for (const line of all.subarray(0, Math.max(end, 0)).toString().split("\r\n")) {
    const [name = "", value = ""] = line.split(/:\s*(.*)/);
    if (name === "Status") status = Number.parseInt(value, 10);
    else if (name !== "") response.setHeader(name, value);
  }
  response.writeHead(end < 0 ? 500 : status).end(end < 0 ? "" : all.subarray(end + 4));
}
