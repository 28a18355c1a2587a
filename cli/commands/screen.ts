import { type LineStyle, printLine } from "../terminal-text.ts";
import { withProgress } from "./with-progress.ts";

/** Where a command shows what it does. */
export interface Screen {
  /** A line of the result. The style counts on a terminal only. */
  print(line: string, style?: LineStyle): void;
  /** Runs long work, and shows the lines that it reports while it goes on. */
  withProgress<T>(title: string, work: (report: (line: string) => void) => Promise<T>): Promise<T>;
}

/** The terminal, or whatever stands in its place. */
export const terminal: Screen = {
  print: printLine,
  withProgress,
};

/** A line of a table: cut at the width of a terminal, whole in a file or pipe. */
export function cutToTerminal(line: string): string {
  const { isTTY, columns } = process.stdout;
  return isTTY && line.length > columns ? `${line.slice(0, Math.max(0, columns - 1))}…` : line;
}
