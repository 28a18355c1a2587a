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

/** Prints a line, or lines, on standard output. */
export function printLine(line: string): void {
  process.stdout.write(`${toTerminalText(line)}\n`);
}

/** Prints a line, or lines, on standard error. */
export function printError(line: string): void {
  process.stderr.write(`${toTerminalText(line)}\n`);
}

/** Prints a text as it is. Only for text of our YAML writer, which escapes control characters itself. */
export function printYaml(text: string): void {
  process.stdout.write(text);
}
