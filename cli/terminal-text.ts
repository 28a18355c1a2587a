import { styleText } from "node:util";

/** Control characters except line feed and tab, Unicode's line ends, and bidirectional control characters. */
export const unsafeOnTerminal = /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/**
 * Makes untrusted text safe for a terminal: characters that could move the cursor, change the title or hide text are
 * shown as JSON escapes. JSON keeps its value, because such characters occur only within its strings. Pure.
 */
export function toTerminalText(text: string): string {
  return text.replaceAll(
    unsafeOnTerminal,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Style of a line on a terminal, as in `styleText`. */
export type LineStyle = "bold" | "cyan" | "green" | "red";

/** Prints one or several lines on standard output. The style applies only on a terminal, and if NO_COLOR is not set. */
export function printLine(line: string, style?: LineStyle): void {
  const text = toTerminalText(line);
  process.stdout.write(
    `${style === undefined ? text : styleText(style, text, { stream: process.stdout })}\n`,
  );
}

/** Prints one or several lines on standard error. */
export function printError(line: string): void {
  process.stderr.write(`${toTerminalText(line)}\n`);
}

/**
 * Prints a text unchanged. Only for trusted text, and for that of a writer that escapes {@link unsafeOnTerminal} itself.
 */
export function printText(text: string): void {
  process.stdout.write(text);
}

/** Exit code of a program that ended because of a closed pipe, as shells report it: 128 plus the number of SIGPIPE. */
const closedPipe = 141;

/** Ends the process without a message when the reader of its output, such as `head`, has ended. */
export function endOnClosedPipe(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
      process.exit(closedPipe);
    });
  }
}
