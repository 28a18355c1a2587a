import { appendFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Command, InvalidArgumentError, Option } from "commander";
import { nodeFlags } from "../../cli/image/node-flags.ts";
import { withLock } from "../../cli/local-cluster/lock.ts";
import { parseCount, parseNames } from "../program-options.ts";
import { bundleImplementation } from "./cell/bundle.ts";
import { runCell } from "./cell/cell.ts";
import { provideProgram } from "./cell/programs.ts";
import { untilQuiet } from "./cell/quiet-machine.ts";
import { type ImplementationName, implementationNames } from "./implementations.ts";
import { dayCommand } from "./load/churn-command.ts";
import { neighboursCommand } from "./load/neighbours-command.ts";
import { orderRounds } from "./order.ts";
import { pipelinesCommand } from "./pipelines/pipelines-command.ts";
import { releasesCommand } from "./releases/releases-command.ts";
import type { Measurement } from "./report/assess.ts";
import { reportText } from "./report/text.ts";
import { takeoverCommand } from "./takeover-command.ts";
import { tenantsCommand } from "./tenants/tenants-command.ts";

const scenarioNames = ["fill", "edit", "churn", "cold", "idle", "failover"] as const;

interface BenchOptions {
  readonly resources: number;
  readonly scenarios: readonly string[];
  readonly rounds: number;
  readonly publish: "on" | "off" | "both";
  readonly implementations: readonly ImplementationName[] | undefined;
  readonly out: string | undefined;
  readonly quietWait: number;
  readonly diagnose?: true;
  readonly profile: string | undefined;
  readonly nodeFlags: string;
  readonly driverArgs: string;
}

/** `npm run bench`: measures our operator and the tuned Go operator in turn, on new control planes, and compares them. */
export function benchCommand(): Command {
  return (
    new Command("bench")
      .description("Compare our operator with the tuned Go operator")
      .option("--resources <n>", "custom resources, with 3 ConfigMaps each", parseCount, 1_000)
      .option("--scenarios <names>", `of ${scenarioNames}, in this order`, parseScenarios, [
        "fill",
        "edit",
        "churn",
        "cold",
        "idle",
      ])
      .option("--rounds <n>", "cells of each implementation, in the order ours, Go, Go, ours", parseCount, 5)
      .addOption(
        new Option("--publish <how>", "ours with a git repository, without one, or both in turn")
          .choices(["on", "off", "both"])
          .default("on"),
      )
      .option(
        "--implementations <names>",
        `of ${implementationNames}; overrides --publish`,
        parseImplementations,
      )
      .option("--out <file>", "file that the raw result lines are appended to, as JSON")
      .option(
        "--quiet-wait <seconds>",
        "maximum wait for a quiet machine before each cell",
        parseSeconds,
        120,
      )
      .option(
        "--diagnose",
        "count git commands and measure synchronous slices; makes the other numbers worse",
      )
      .option("--profile <folder>", "write CPU profiles of our operator there; makes the numbers worse")
      .option("--node-flags <words>", "flags of Node for our operator", nodeFlags.join(" "))
      .option("--driver-args <words>", "more arguments for the driver, such as --edits=100", "")
      .action(runBench)
      // The options of a subcommand follow its name.
      .enablePositionalOptions()
      .addCommand(neighboursCommand(report))
      .addCommand(dayCommand(report))
      .addCommand(releasesCommand(report))
      .addCommand(pipelinesCommand(report))
      .addCommand(tenantsCommand(report))
      .addCommand(takeoverCommand())
  );
}

async function runBench(options: BenchOptions): Promise<void> {
  const { resources, scenarios, rounds, out, quietWait, diagnose = false, profile } = options;
  const env = process.env;
  const folder = await mkdtemp(join(tmpdir(), "fairlead-bench-"));
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const)
    process.once(name, () => stop.abort(new Error(`Ended by ${name}`)));
  try {
    const implementations = options.implementations ?? implementationsOf(options.publish);
    const driverPath = await provideProgram("driver", { env, report });
    const withGo = implementations.includes("podset-go");
    const podsetGoPath = withGo ? await provideProgram("podset-go", { env, report }) : "";
    const bundlePath = await bundleImplementation(folder);
    const results: Measurement[] = [];
    for (const [index, { round, implementation }] of orderRounds(implementations, rounds).entries()) {
      // Run one cell at a time on this machine, for all users.
      const onWait = ({ pid }: { pid: number }): void => report(`Waiting for process ${pid}, which measures`);
      const measure = async (): ReturnType<typeof runCell> => {
        const load = await untilQuiet({ waitSeconds: quietWait, report });
        report(
          `Cell ${index + 1} of ${implementations.length * rounds}: ${implementation}, round ${round}, load ${load.toFixed(2)}`,
        );
        return runCell({
          ...{
            implementation,
            resources,
            scenarios,
            driverPath,
            podsetGoPath,
            bundlePath,
            diagnose,
            env,
            report,
          },
          profileDirectory: profile === undefined ? undefined : resolve(profile),
          nodeFlags: wordsOf(options.nodeFlags),
          driverArguments: wordsOf(options.driverArgs),
          signal: stop.signal,
        });
      };
      const lines = await withLock(join(tmpdir(), "fairlead-bench.lock"), measure, { onWait });
      for (const line of lines) {
        const result = { ...line, implementation, round };
        results.push(result);
        if (out !== undefined) await appendFile(out, `${JSON.stringify(result)}\n`);
      }
    }
    process.stdout.write(reportText(results));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function implementationsOf(publish: BenchOptions["publish"]): readonly ImplementationName[] {
  const ours = {
    on: ["fairlead"],
    off: ["fairlead-without-git"],
    both: ["fairlead", "fairlead-without-git"],
  } as const;
  return [...ours[publish], "podset-go"];
}

function wordsOf(text: string): readonly string[] {
  return text.split(" ").filter((word) => word !== "");
}

function report(line: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
}

function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (!(seconds >= 0)) throw new InvalidArgumentError("Expected a number of seconds");
  return seconds;
}

function parseScenarios(text: string): readonly string[] {
  return parseNames(text, scenarioNames);
}

function parseImplementations(text: string): readonly ImplementationName[] {
  return parseNames(text, implementationNames);
}
