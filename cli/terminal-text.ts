import { styleText } from "node:util";

/** Control characters except line feed and tab, Unicode's line ends, and marks that change the direction of text. */
const unsafe = /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/**
 * Makes text of others safe for a terminal: characters that could move the cursor, change the title or hide text are shown
 * as JSON escapes. JSON that is printed keeps its value, because such characters are only ever inside of its strings. Pure.
 */
export function toTerminalText(text: string): string {
  return text.replaceAll(
    unsafe,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** How a line is shown on a terminal, as `styleText` names it. */
export type LineStyle = "bold" | "cyan" | "green" | "red";

/** Prints a line, or lines, on standard output. The style counts only on a terminal, and where NO_COLOR is not set. */
export function printLine(line: string, style?: LineStyle): void {
  const text = toTerminalText(line);
  process.stdout.write(
    `${style === undefined ? text : styleText(style, text, { stream: process.stdout })}\n`,
  );
}

/** Prints a line, or lines, on standard error. */
export function printError(line: string): void {
  process.stderr.write(`${toTerminalText(line)}\n`);
}

/** Prints a text as it is. Only for text of our own, such as that of our YAML writer, which escapes control characters itself. */
export function printText(text: string): void {
  process.stdout.write(text);
}

/** Exit code of a program that a closed pipe ended, as shells report it: 128 and SIGPIPE. */
const closedPipe = 141;

/** Ends the process without a message when the reader of its output has gone, such as `head`. */
export function endOnClosedPipe(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
      process.exit(closedPipe);
    });
  }
}
