import { setTimeout as sleep } from "node:timers/promises";
import { Command, InvalidArgumentError, Option } from "commander";
import { LogReader } from "../release/log-reader.ts";
import {
  findOperatorPods,
  formatLogLine,
  type LogFilter,
  type LogLevelName,
  logLevels,
} from "../release/operator-log.ts";
import { addConnectionOptions, type ReleaseFlags, withReleases } from "../release/release-command.ts";
import { printError } from "../terminal-text.ts";
import { type Screen, terminal } from "./screen.ts";

export interface LogsFlags extends Omit<ReleaseFlags, "output"> {
  readonly level?: LogLevelName;
  readonly tail?: number;
  readonly follow?: boolean;
}

const followMs = 1_000;
const usualTail = 1_000;

/** `fairlead logs [NAME]`: shows the operator's log, or its lines about one Release. */
export function logsCommand(): Command {
  const command = new Command("logs")
    .description("Show the operator's log, or its lines about one Release")
    .argument("[name]", "name of a Release, or a unique prefix of one; namespace/name")
    .addOption(new Option("--level <level>", "lowest level to show").choices(logLevels).default("info"))
    .option("--tail <lines>", "number of lines to read from each pod", parseLines, usualTail)
    .option("-f, --follow", "follow the log until Ctrl-C")
    .addHelpText(
      "after",
      `
This reads the logs of the operator's pods. It needs the rights to list pods in all namespaces and to read pods/log in
their namespace. It reports a pod whose log cannot be read, and shows the others. For the logs of deployed objects, use
kubectl logs.
Exits 0, or 1 if no log could be read.`,
    );
  return addConnectionOptions(command).action((name: string | undefined, flags: LogsFlags) =>
    runLogs(name, flags, terminal),
  );
}

/** @throws Error with a message for users. */
export async function runLogs(
  name: string | undefined,
  { level = "info", tail = usualTail, follow = false, ...flags }: LogsFlags,
  { print }: Pick<Screen, "print">,
): Promise<void> {
  await withReleases(flags, async ({ client, transport, find }) => {
    const release = name === undefined ? undefined : (await find(name)).metadata;
    const filter: LogFilter = { release, level };
    const reader = new LogReader({ transport, tail });
    let isFirst = true;
    do {
      if (!isFirst) await sleep(followMs);
      isFirst = false;
      const { lines, failures } = await reader.read(await findOperatorPods(client));
      for (const failure of failures) printError(`fairlead: ${failure}`);
      for (const line of lines) {
        const text = formatLogLine(line, filter);
        if (text !== undefined) print(text);
      }
    } while (follow);
  });
}

function parseLines(text: string): number {
  const lines = Number(text);
  if (!Number.isInteger(lines) || lines < 1) throw new InvalidArgumentError("Expected a number from 1");
  return lines;
}
