import type { SourceFailureReason } from "../errors.ts";

/** A problem in one document of a file; the caller adds the file. */
export class DocumentError extends Error {
  override readonly name = "DocumentError";
  readonly reason: Extract<SourceFailureReason, "RenderFailed" | "RenderLimit">;
  /** Line of the file, counted from 1. */
  readonly line: number | undefined;
  /** Path of the invalid field. If the line is unknown, it can be looked up by this path. */
  readonly path: readonly (string | number)[];

  constructor(message: string, { reason = "RenderFailed", line, path = [] }: DocumentErrorOptions = {}) {
    super(message);
    this.reason = reason;
    this.line = line;
    this.path = path;
  }
}

export interface DocumentErrorOptions {
  readonly reason?: DocumentError["reason"];
  readonly line?: number;
  readonly path?: readonly (string | number)[];
}
