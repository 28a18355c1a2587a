import { readFile } from "node:fs/promises";
import { text as readAll } from "node:stream/consumers";

/** Whether an argument is a file or a folder, and not the name of an object. Pure. */
export function isFile(text: string): boolean {
  return text === "-" || /^[./]/.test(text) || /\.(ya?ml|json)$/.test(text);
}

/**
 * A file, or the standard input for `-`: its text, and its name in messages.
 *
 * @throws Error with the file and the reason why it cannot be read.
 */
export async function readFileArgument(
  text: string,
): Promise<{ readonly file: string; readonly contents: string }> {
  if (text === "-") return { file: "standard input", contents: await readAll(process.stdin) };
  try {
    return { file: text, contents: await readFile(text, "utf8") };
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    throw new Error(`Cannot read "${text}": ${reasons[code] ?? message}`, { cause: error });
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EISDIR: "it is a folder",
  EACCES: "you may not read it",
};
