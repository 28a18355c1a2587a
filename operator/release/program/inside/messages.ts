import { Buffer } from "node:buffer";
import { writeSync } from "node:fs";

/** What the operator says to a sandbox; the parts are code, code caches or JSON, and follow it. */
export type ToSandbox =
  /** Parts: code, code cache (may be empty) of each library. */
  | { readonly kind: "libraries"; readonly names: readonly string[] }
  /** Asks for the libraries' code caches; before any program. */
  | { readonly kind: "caches" }
  /** Part: the bundle. `needs` are the libraries to run before it. */
  | { readonly kind: "program"; readonly needs: readonly string[] }
  /** Part: the request. It is run `copies` times, each time in a context of its own. */
  | { readonly kind: "run"; readonly copies: number; readonly timeoutMs: number };

/** What a sandbox answers. Not to be believed: a program may have written it. */
export type FromSandbox =
  | { readonly kind: "ready" }
  /** Parts: the code cache of each library. */
  | { readonly kind: "caches" }
  /** Parts: the text of each run that differs from those before it. */
  | { readonly kind: "ran" }
  | { readonly kind: "timeout" };

/** One message: length and text of its header, number of parts, and length and bytes of each. */
export function encodeMessage(header: ToSandbox | FromSandbox, parts: readonly Uint8Array[] = []): Buffer {
  const text = Buffer.from(JSON.stringify(header));
  return Buffer.concat([
    numberOf(text.length),
    text,
    numberOf(parts.length),
    ...parts.flatMap((part) => [numberOf(part.length), part]),
  ]);
}

export function writeMessage(pipe: number, header: FromSandbox, parts: readonly Uint8Array[] = []): void {
  const message = encodeMessage(header, parts);
  for (let at = 0; at < message.length; ) at += writeSync(pipe, message, at);
}

function numberOf(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
