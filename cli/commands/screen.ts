import { type LineStyle, printLine } from "../terminal-text.ts";
import { withProgress } from "./with-progress.ts";

/** Output of a command. */
export interface Screen {
  /** Prints a line of the result. The style only applies on a terminal. */
  print(line: string, style?: LineStyle): void;
  /** Runs long work, and shows the lines of progress that it reports. */
  withProgress<T>(title: string, work: (report: (line: string) => void) => Promise<T>): Promise<T>;
}

/** The terminal, or a replacement in tests. */
export const terminal: Screen = {
  print: printLine,
  withProgress,
};

/** Cuts a line of a table at the width of a terminal. A line for a file or pipe is not cut. */
export function cutToTerminal(line: string): string {
  const { isTTY, columns } = process.stdout;
  return isTTY && line.length > columns ? `${line.slice(0, Math.max(0, columns - 1))}…` : line;
}
