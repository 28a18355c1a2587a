import { writeSync } from "node:fs";
import { encodeFrame } from "../../../zones/frame.ts";

/** Messages of the operator to a sandbox. Their parts are code, code caches or JSON, and follow the message. */
export type ToSandbox =
  /** Parts: code, code cache (may be empty) of each library. */
  | { readonly kind: "libraries"; readonly names: readonly string[] }
  /** Requests the libraries' code caches, before any program runs. */
  | { readonly kind: "caches" }
  /** Part: the bundle. `needs` are the libraries to run before it. */
  | { readonly kind: "program"; readonly needs: readonly string[] }
  /** Part: the request. It is run `copies` times, each time in a new context. */
  | { readonly kind: "run"; readonly copies: number; readonly timeoutMs: number };

/** Answers of a sandbox. Untrusted: a program may have written them. */
export type FromSandbox =
  | { readonly kind: "ready" }
  /** Parts: the code cache of each library. */
  | { readonly kind: "caches" }
  /** Parts: the text of each run that differs from the previous ones. */
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
