import { Command } from "commander";
import type { SynthesizableKind } from "../../synth/synthesize.ts";
import { withCluster } from "../install/connect.ts";
import { type Change, install } from "../install/install.ts";
import { planInstall } from "../install/plan-install.ts";
import { gatherValues } from "../install/set-values.ts";
import {
  addClusterOptions,
  addValuesOptions,
  type InstallationFlags,
  readTimeout,
} from "./installation-options.ts";
import { type Screen, terminal } from "./screen.ts";

export interface InstallFlags extends InstallationFlags {
  readonly crdsOnly?: true;
  readonly dryRun?: true;
  readonly forceConflicts?: true;
  /** Default: true. */
  readonly wait?: boolean;
}

/** `fairlead install`: the operator into a cluster, or another version or other values of it. */
export function installCommand({ kinds }: { readonly kinds: readonly SynthesizableKind[] }): Command {
  const command = new Command("install").description(
    "Install the operator into a cluster, or upgrade it: CRDs, rights, Deployment",
  );
  addValuesOptions(command, {
    values: "YAML file of values (docs/values.md)",
    set: "one value, such as repository.url=…; repeatable",
  })
    .option("--crds-only", "the CustomResourceDefinitions alone")
    .option("--dry-run", "let the API server check everything, and change nothing")
    .option("--force-conflicts", "take over fields that somebody else has set")
    .option("--no-wait", "do not wait until everything is available");
  return addClusterOptions(command, { timeout: "how long to wait" }).action((flags: InstallFlags) =>
    runInstall(kinds, flags, terminal),
  );
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
