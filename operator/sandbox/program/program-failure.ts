import { SourceError } from "../../errors.ts";

/** Longest message of a condition. */
const LENGTH = 1_024;

/** Makes what a program or a file name says fit for a condition: one line, no control characters, not too long. */
export function toMessage(text: string, length = LENGTH): string {
  // Cut first, so that megabytes cost nothing; most of what is removed are single characters.
  const clean = text
    .slice(0, 4 * length)
    .replaceAll(/\s+/g, " ")
    // Control characters, and those that turn the direction of text.
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, "")
    .trim();
  return clean.length > length || text.length > 4 * length ? `${clean.slice(0, length - 1)}…` : clean;
}

/** The program cannot be rendered; it will not get better by itself. */
export function programFailure(why: string, options?: ErrorOptions): SourceError {
  return new SourceError("RenderFailed", toMessage(`Cannot render the program: ${why}`), options);
}

/** The program went over a limit. */
export function programLimit(why: string): SourceError {
  return new SourceError("RenderLimit", toMessage(`Cannot render the program: ${why}`));
}
