import { FrameError } from "./frame-reader.ts";

/** Version of the protocol: both sides of a connection must have the same. */
export const PROTOCOL = 1;

/** Content of a request, of an item of its answer, or of the answer. */
export interface Message {
  /** JSON, at most a few KiB. */
  readonly body: unknown;
  readonly parts?: readonly Uint8Array[];
}

/** Headers of frames. Ids count the requests of one side of one connection from 1. */
export type Header =
  /** The first frame of each side. */
  | { readonly is: "hello"; readonly protocol: number; readonly zone: string }
  | { readonly is: "request"; readonly id: number; readonly name: string; readonly body: unknown }
  /** The side that sent the request no longer needs its answer. */
  | { readonly is: "cancel"; readonly id: number }
  /** A piece of an answer that is sent before the answer itself. */
  | { readonly is: "item"; readonly id: number; readonly body: unknown }
  | { readonly is: "answer"; readonly id: number; readonly body: unknown }
  | { readonly is: "error"; readonly id: number; readonly body: unknown };

/**
 * Checks the header of a frame.
 *
 * @throws FrameError for a header that is not a valid {@link Header}.
 */
export function readHeader(header: Readonly<Record<string, unknown>>): Header {
  const { is, id, body } = header;
  if (is === "hello") {
    const { protocol, zone } = header;
    if (typeof protocol === "number" && typeof zone === "string") return { is, protocol, zone };
    throw new FrameError("a hello without a protocol version and a zone");
  }
  if (!Number.isSafeInteger(id) || (id as number) < 1) throw new FrameError("a frame without an id");
  const at = { id: id as number };
  switch (is) {
    case "request":
      if (typeof header["name"] !== "string") throw new FrameError("a request without a name");
      return { is, ...at, name: header["name"], body };
    case "cancel":
      return { is, ...at };
    case "item":
    case "answer":
    case "error":
      return { is, ...at, body };
    default:
      throw new FrameError("a frame of an unknown type");
  }
}
