import { Command } from "commander";
import { toMilliseconds } from "../../charts/value-shapes.ts";
import type { SynthesizableKind } from "../../synth/synthesize.ts";
import { type ConnectOptions, withCluster } from "../install/connect.ts";
import { type Change, install } from "../install/install.ts";
import { planInstall } from "../install/plan-install.ts";
import { gatherValues, type ValuesSource } from "../install/set-values.ts";
import { type Screen, terminal } from "./screen.ts";

export interface InstallFlags extends ConnectOptions, ValuesSource {
  readonly crdsOnly?: true;
  readonly dryRun?: true;
  readonly forceConflicts?: true;
  /** Default: true. */
  readonly wait?: boolean;
  readonly timeout?: string;
}

export const DEFAULT_TIMEOUT = "3m";

/** `fairlead install`: the operator into a cluster, or another version or other values of it. */
export function installCommand({ kinds }: { readonly kinds: readonly SynthesizableKind[] }): Command {
  return new Command("install")
    .description("Install the operator into a cluster, or upgrade it: CRDs, rights, Deployment")
    .option("--values <file>", "YAML file of values (docs/values.md)")
    .option("--set <name=value>", "one value, such as repository.url=…; repeatable", collect)
    .option("--crds-only", "the CustomResourceDefinitions alone")
    .option("--dry-run", "let the API server check everything, and change nothing")
    .option("--force-conflicts", "take over fields that somebody else has set")
    .option("--no-wait", "do not wait until everything is available")
    .option("--timeout <time>", "how long to wait", DEFAULT_TIMEOUT)
    .option("--kubeconfig <file>", "kubeconfig file; default: KUBECONFIG, ~/.kube/config")
    .option("--context <name>", "context of the kubeconfig; default: its current context")
    .action((flags: InstallFlags) => runInstall(kinds, flags, terminal));
}

/** @throws an error for people: what could not be done, with which object, why, and what to do. */
export async function runInstall(
  kinds: readonly SynthesizableKind[],
  flags: InstallFlags,
  { print, withProgress }: Screen,
): Promise<void> {
  const timeoutMs = readTimeout(flags.timeout);
  const { crdsOnly = false, dryRun = false, forceConflicts: force = false, wait = true } = flags;
  const plan = planInstall(kinds, await gatherValues(flags), { crdsOnly });
  const changes = await withCluster(flags, (client, server) =>
    withProgress(`Installing on ${server.origin}`, (report) =>
      install(plan, { client, report, dryRun, force, wait, timeoutMs }),
    ),
  );
  for (const { did, title, note } of changes) {
    if (did !== "unchanged") print(`${did.padEnd(9)} ${title}${note === undefined ? "" : ` (${note})`}`);
  }
  print(summaryOf(changes, { dryRun }));
}

/** One line on the whole. */
export function summaryOf(changes: readonly Change[], { dryRun }: { readonly dryRun: boolean }): string {
  const counted = Map.groupBy(changes, ({ did }) => did);
  const counts = (["created", "changed", "removed", "unchanged"] as const)
    .map((did) => [did, counted.get(did)?.length ?? 0] as const)
    .filter(([, count]) => count > 0)
    .map(([did, count]) => `${count} ${did}`);
  return `${dryRun ? "Would be" : "Installed"}: ${counts.join(", ")}`;
}

/** @throws RangeError if it is no duration. */
export function readTimeout(text = DEFAULT_TIMEOUT): number {
  const timeoutMs = toMilliseconds(text);
  if (Number.isNaN(timeoutMs)) {
    throw new RangeError(`Cannot use --timeout "${text}": expected a duration such as 90s or 5m`);
  }
  return timeoutMs;
}

export function collect(value: string, all: readonly string[] = []): readonly string[] {
  return [...all, value];
}
