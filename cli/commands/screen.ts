import { printLine } from "../terminal-text.ts";
import { withProgress } from "./with-progress.ts";

/** Where a command shows what it does. */
export interface Screen {
  /** A line of the result. */
  print(line: string): void;
  /** Runs long work, and shows the lines that it reports while it goes on. */
  withProgress<T>(title: string, work: (report: (line: string) => void) => Promise<T>): Promise<T>;
}

/** The terminal, or whatever stands in its place. */
export const terminal: Screen = {
  print: printLine,
  withProgress,
};
