import type { Command } from "commander";
import { toMilliseconds } from "../../crds/duration.ts";
import type { ConnectOptions } from "../install/connect.ts";
import type { ValuesSource } from "../install/set-values.ts";

/** Options of both `install` and `uninstall`: the installation, the cluster, and the timeout. */
export interface InstallationFlags extends ConnectOptions, ValuesSource {
  readonly timeout?: string;
}

const DEFAULT_TIMEOUT = "3m";

/** Adds the options that set the values. */
export function addValuesOptions(
  command: Command,
  help: Readonly<Record<keyof ValuesSource, string>>,
): Command {
  return command
    .option("--values <file>", help.values)
    .option("--set <name=value>", help.set, (value, all: readonly string[] = []) => [...all, value]);
}

/** Adds the options that select the cluster, and the timeout. */
export function addClusterOptions(command: Command, help: { readonly timeout: string }): Command {
  return command
    .option("--timeout <time>", help.timeout, DEFAULT_TIMEOUT)
    .option("--kubeconfig <file>", "kubeconfig file; default: KUBECONFIG, ~/.kube/config")
    .option("--context <name>", "context of the kubeconfig; default: its current context");
}

/** @throws RangeError if it is not a duration. */
export function readTimeout(text = DEFAULT_TIMEOUT): number {
  const timeoutMs = toMilliseconds(text);
  if (Number.isNaN(timeoutMs)) {
    throw new RangeError(`Cannot use --timeout "${text}": expected a duration such as 90s or 5m`);
  }
  return timeoutMs;
}
