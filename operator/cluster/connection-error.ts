import { ClusterAccessError } from "./cluster-access.ts";

/** No response, or only a part of one, was received from the API server. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  /** No connection was made: the server did not see the request. */
  readonly refused: boolean;
  /** An established connection was lost (reset, closed half-way). */
  readonly lost: boolean;

  constructor(message: string, options: ErrorOptions & { refused?: boolean; lost?: boolean } = {}) {
    super(message, options);
    this.refused = options.refused ?? false;
    this.lost = options.lost ?? false;
  }
}

const refusals = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);
const losses = new Set([
  "ECONNRESET",
  "EPIPE",
  "ECONNABORTED",
  "ETIMEDOUT",
  "UND_ERR_SOCKET",
  "ERR_HTTP2_STREAM_ERROR",
  "ERR_HTTP2_SESSION_ERROR",
  "ERR_HTTP2_GOAWAY_SESSION",
  "HPE_INVALID_EOF_STATE",
]);
const distrust = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS|ERR_SSL|EPROTO/;

/** Describes why a connection failed. The message contains the server's address and never a credential. */
export function toConnectionError(error: unknown, server: URL): ConnectionError {
  if (error instanceof ConnectionError) return error;
  // The error of an unreadable token or certificate file has a message of its own, and nothing was sent.
  if (error instanceof ClusterAccessError)
    return new ConnectionError(error.message, { cause: error, refused: true });
  const code = codeOf(error);
  const detail = code === "" && error instanceof Error ? error.message : code;
  const options = { cause: error, refused: refusals.has(code), lost: losses.has(code) };
  const where = `the API server at ${server.origin}`;
  if (distrust.test(code)) {
    // Node appends advice about its own flags after a semicolon.
    const message = error instanceof Error ? (error.message.split(";", 1)[0] ?? code) : code;
    return new ConnectionError(`${where} is not trusted: ${message}; check the certificate authority`, {
      ...options,
      refused: true,
    });
  }
  if (options.refused) return new ConnectionError(`${where} is unreachable (${code})`, options);
  return new ConnectionError(`the connection to ${where} was lost (${detail})`, options);
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  if ("code" in error && typeof error.code === "string") return error.code;
  // A name with several addresses: each attempt failed separately.
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return codeOf(error.cause);
}
