import { Command } from "commander";
import { checkGivenValues } from "../../charts/values/operator-values.ts";
import { MutatingAdmissionPolicy } from "../../crds/core-kinds.ts";
import { version } from "../../operator/telemetry/version.ts";
import type { SynthesizableKind } from "../../synth/synthesize.ts";
import { hasSimulatedNodes, refuseUnpullableImage } from "../install/check-image.ts";
import { withCluster } from "../install/connect.ts";
import { type Change, install } from "../install/install.ts";
import { planInstall } from "../install/plan-install.ts";
import { gatherValues } from "../install/set-values.ts";
import { settleValues } from "../install/settle-values.ts";
import { findLeftDefinitions, noteRefusedReleases } from "../install/upgrade-notes.ts";
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
  readonly resetValues?: true;
  readonly forceConflicts?: true;
  /** Default: true. */
  readonly wait?: boolean;
}

/** `fairlead install`: installs the operator in a cluster, upgrades it or changes its values. */
export function installCommand({ kinds }: { readonly kinds: readonly SynthesizableKind[] }): Command {
  const command = new Command("install").description(
    "Install or upgrade the operator in a cluster: CRDs, rights, Deployment",
  );
  addValuesOptions(command, {
    values: "YAML file of values (docs/values.md)",
    set: "one value, such as repository.url=…; repeatable",
  })
    .option("--crds-only", "install only the CustomResourceDefinitions")
    .option("--dry-run", "show the differences, as a dry run of the API server, and change nothing")
    .option(
      "--reset-values",
      "discard the values of the last run; values that are not given get their defaults",
    )
    .option("--force-conflicts", "take over fields that another field manager owns")
    .option("--no-wait", "do not wait until everything is available");
  return addClusterOptions(command, { timeout: "how long to wait" }).action((flags: InstallFlags) =>
    runInstall(kinds, flags, terminal),
  );
}

/** @throws Error with a message for users: the failure, the object, the cause, and instructions. */
export async function runInstall(
  kinds: readonly SynthesizableKind[],
  flags: InstallFlags,
  { print, withProgress }: Screen,
): Promise<void> {
  const timeoutMs = readTimeout(flags.timeout);
  const { crdsOnly = false, dryRun = false, forceConflicts: force = false, wait = true } = flags;
  const given = await gatherValues(flags);
  checkGivenValues(given);
  await withCluster(flags, async (client, server) => {
    const resetValues = flags.resetValues === true;
    const { values, chosen, notes } = await settleValues(given, {
      client,
      kinds,
      crdsOnly,
      resetValues,
      version,
    });
    const plan = planInstall(kinds, values, {
      crdsOnly,
      stored: { values: chosen, version },
      hasMutatingPolicies: await client.serves(MutatingAdmissionPolicy),
    });
    const isSimulated = await hasSimulatedNodes(client);
    if (!crdsOnly && !isSimulated) refuseUnpullableImage(values);
    for (const note of [...notes, ...(await noteRefusedReleases(client, values))]) print(note);
    const changes = await withProgress(`Installing on ${server.origin}`, (report) =>
      install(plan, { client, report, dryRun, force, wait, timeoutMs }),
    );
    // Show the changes even if the remaining objects cannot be listed.
    printChanges(changes, print);
    const left = await findLeftDefinitions(client, plan, {
      shipped: kinds.filter(({ needsReleases }) => !needsReleases),
      kinds: values.kinds ?? [],
    });
    printChanges(left.changes, print);
    for (const hint of left.hints) print(hint);
    print(summaryOf(changes, { dryRun }));
    if (isSimulated && !crdsOnly && !dryRun) print(simulatedNote);
  });
}

const simulatedNote =
  "The pods of this cluster are simulated: nothing runs in them. Run the operator as a process instead, until Ctrl-C: npx fairlead cluster operator";

function printChanges(changes: readonly Change[], print: Screen["print"]): void {
  for (const { did, title, note, diff } of changes) {
    if (did === "unchanged") continue;
    print(`${did.padEnd(9)} ${title}${note === undefined ? "" : ` (${note})`}`);
    if (diff !== undefined) print(diff);
  }
}

/** A summary in one line. */
export function summaryOf(changes: readonly Change[], { dryRun }: { readonly dryRun: boolean }): string {
  const counted = Map.groupBy(changes, ({ did }) => did);
  const counts = (["created", "changed", "removed", "unchanged"] as const)
    .map((did) => [did, counted.get(did)?.length ?? 0] as const)
    .filter(([, count]) => count > 0)
    .map(([did, count]) => `${count} ${did}`);
  return `${dryRun ? "Would be" : "Installed"}: ${counts.join(", ")}`;
}
