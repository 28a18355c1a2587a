import type { Writable } from "node:stream";
import type { GitProcesses, GitRun } from "../git-process.ts";

/** A process that answers every input with one line. One request at a time. */
export interface GitConversation {
  /** It accepts no more requests. */
  readonly isOver: boolean;
  /** Writes a part of the next input; the rest is passed to {@link ask}. */
  write(part: Uint8Array): Promise<void>;
  /** @throws GitError `Ended`, `Killed`, or the system's error when git could not be started. */
  ask(input: Uint8Array): Promise<string>;
  /** Closes its input, and waits until it has finished and ended. */
  close(): Promise<void>;
}

/** Maximum length of an answer, in characters. */
const OUTPUT_LINE = 64 * 1024;

/** Starts a long-running process that answers requests. @throws GitError `Killed` when the operator is stopping. */
export function converse(processes: GitProcesses, run: GitRun): GitConversation {
  let said = "";
  let answer = Promise.withResolvers<string>();
  const { over, input, watch, close } = processes.stream(run, (chunk) => {
    said = (said + chunk.toString()).slice(0, OUTPUT_LINE);
    const end = said.indexOf("\n");
    if (end < 0) return;
    answer.resolve(said.slice(0, end));
    said = said.slice(end + 1);
  });
  let isOver = false;
  void over.then((error) => {
    isOver = true;
    answer.promise.catch(() => {});
    answer.reject(error);
  });
  return {
    get isOver() {
      return isOver;
    },
    write: async (part) => {
      const watchdog = watch();
      try {
        await feed(input, part);
      } finally {
        watchdog();
      }
    },
    ask: async (text) => {
      if (isOver) throw await over;
      answer = Promise.withResolvers();
      const watchdog = watch();
      try {
        await Promise.all([answer.promise, feed(input, text)]);
        return await answer.promise;
      } finally {
        watchdog();
      }
    },
    close,
  };
}

/**
 * Writes input to a process as fast as it reads. Returns early when the process ends: its exit code and stderr give the
 * reason.
 */
async function feed(stdin: Writable, input: Uint8Array): Promise<void> {
  if (!stdin.destroyed && !stdin.write(input)) await drained(stdin);
}

async function drained(stdin: Writable): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const event of ["drain", "close"]) stdin.on(event, resolve);
  await promise;
  for (const event of ["drain", "close"]) stdin.off(event, resolve);
}
