import { listIn, objectIn, textIn } from "./json-value.ts";
import type { ApiResponse } from "./transport.ts";

/** Characters kept from the beginning and from the end of a message, which may repeat an object of megabytes. */
const KEPT = 4_096;
/** Maximum number of causes that are read, more than a message can contain. */
const CAUSES = 100;

export interface StatusCause {
  readonly reason: string;
  readonly message: string;
  readonly field: string;
}

/** A rejection by the API server, as its `Status` object describes it. */
export interface ApiStatus {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly causes: readonly StatusCause[];
  /** Plural or kind in the rejection; empty when the path itself is unknown to the server. */
  readonly kind: string;
  readonly retryAfterMs: number | undefined;
}

/** Parses a rejection; text that is not a `Status` (a proxy's page) becomes its message. */
export function readStatus(response: ApiResponse): ApiStatus {
  const { status: code, retryAfterMs } = response;
  const parsed = parseObject(response.body);
  if (parsed === undefined || parsed["kind"] !== "Status") {
    const message = response.body.slice(0, 200).trim();
    return { code, reason: "", message, causes: [], kind: "", retryAfterMs };
  }
  return { ...statusOf(parsed), code, retryAfterMs };
}

/** Parses the fields of a `Status` object, for example from an ERROR event of a watch. */
export function statusOf(object: unknown): Omit<ApiStatus, "retryAfterMs"> {
  const { code, reason, message, details } = objectIn(object);
  const { causes, kind } = objectIn(details);
  return {
    code: typeof code === "number" ? code : 0,
    reason: textIn(reason),
    message: shorten(textIn(message)),
    kind: textIn(kind),
    causes: listIn(causes)
      .slice(0, CAUSES)
      .map((cause) => {
        const { reason: why, message: what, field } = objectIn(cause);
        return { reason: textIn(why), message: shorten(textIn(what)), field: shorten(textIn(field)) };
      }),
  };
}

function shorten(text: string): string {
  return text.length <= 2 * KEPT ? text : `${text.slice(0, KEPT)}…${text.slice(-KEPT)}`;
}

function parseObject(text: string) {
  try {
    return objectIn(JSON.parse(text));
  } catch {
    return undefined;
  }
}
