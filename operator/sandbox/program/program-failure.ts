import { SourceError } from "../../errors.ts";

/** Maximum length of a condition's message. */
const LENGTH = 1_024;

/** Makes text of a program or a file name suitable for a condition: one line, no control characters, bounded length. */
export function toMessage(text: string, length = LENGTH): string {
  // Cut first, to limit the time for long texts; most replacements are single characters.
  const clean = text
    .slice(0, 4 * length)
    .replaceAll(/\s+/g, " ")
    // Control characters, and those that change the direction of text.
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, "")
    .trim();
  return clean.length > length || text.length > 4 * length ? `${clean.slice(0, length - 1)}…` : clean;
}

/** The program cannot be rendered; a retry will not help. */
export function programFailure(why: string, options?: ErrorOptions): SourceError {
  return new SourceError("RenderFailed", toMessage(`Cannot render the program: ${why}`), options);
}

/** The program exceeded a limit. */
export function programLimit(why: string): SourceError {
  return new SourceError("RenderLimit", toMessage(`Cannot render the program: ${why}`));
}
