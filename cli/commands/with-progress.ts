import { Listr } from "listr2";
import { printError, toTerminalText } from "../terminal-text.ts";

/** Minimum interval between lines of the same kind without a terminal. */
const QUIET_MS = 15_000;

/**
 * Runs long work and shows its progress: on a terminal as one line that is overwritten, otherwise as fewer lines on standard
 * error. The caller prints errors.
 */
export async function withProgress<T>(
  title: string,
  work: (report: (line: string) => void) => Promise<T>,
): Promise<T> {
  if (!process.stdout.isTTY) return work(writeSparsely());
  const { promise, resolve } = Promise.withResolvers<T>();
  const progress = new Listr(
    [
      {
        title,
        task: async (_, task) => {
          const report = (line: string) => {
            task.output = toTerminalText(line);
          };
          resolve(await work(report));
        },
      },
    ],
    { renderer: "default", rendererOptions: { showErrorMessage: false } },
  );
  await progress.run();
  return promise;
}

function writeSparsely(): (line: string) => void {
  let [lastTopic, lastMs] = ["", 0];
  return (line) => {
    const [topic, nowMs] = [line.split(":")[0] ?? "", performance.now()];
    if (topic === lastTopic && nowMs - lastMs < QUIET_MS) return;
    [lastTopic, lastMs] = [topic, nowMs];
    printError(line);
  };
}
