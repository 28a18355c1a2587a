import { writeSync } from "node:fs";
import { encodeFrame } from "../../../zones/frame.ts";

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

/** One message, in the encoding of all frames. */
export function encodeMessage(header: ToSandbox | FromSandbox, parts: readonly Uint8Array[] = []): Buffer {
  return encodeFrame(header, parts);
}

export function writeMessage(pipe: number, header: FromSandbox, parts: readonly Uint8Array[] = []): void {
  const message = encodeMessage(header, parts);
  for (let at = 0; at < message.length; ) at += writeSync(pipe, message, at);
}
