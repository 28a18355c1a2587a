import { createInterface } from "node:readline/promises";
import { Command } from "commander";
import { installationIdOf } from "../../charts/installation.ts";
import { readOperatorValues } from "../../charts/values/operator-values.ts";
import type { SynthesizableKind } from "../../synth/synthesize.ts";
import { withCluster } from "../install/connect.ts";
import { titleOf } from "../install/installable-kinds.ts";
import { countOf, type RemainingResources } from "../install/remove-resources.ts";
import { gatherValues } from "../install/set-values.ts";
import { findInstallation, uninstall } from "../install/uninstall.ts";
import {
  addClusterOptions,
  addValuesOptions,
  type InstallationFlags,
  readTimeout,
} from "./installation-options.ts";
import { type Screen, terminal } from "./screen.ts";

export interface UninstallFlags extends InstallationFlags {
  readonly keepCrds?: true;
  readonly deleteResources?: true;
}

/** `fairlead uninstall`: removes everything of an installation. */
export function uninstallCommand({ kinds }: { readonly kinds: readonly SynthesizableKind[] }): Command {
  const command = new Command("uninstall").description(
    "Remove the operator and everything installed with it; asks before it deletes resources",
  );
  addValuesOptions(command, {
    values: "YAML file of the installation's values, for name and namespace",
    set: "one value, such as name=…; repeatable",
  })
    .option("--keep-crds", "keep CustomResourceDefinitions and all resources")
    .option("--delete-resources", "also delete the resources, without asking");
  return addClusterOptions(command, { timeout: "how long to wait until everything is deleted" }).action(
    (flags: UninstallFlags) => runUninstall(kinds, flags, terminal),
  );
}

/** @throws Error with a message for users: the failure, the object, the cause, and instructions. */
export async function runUninstall(
  kinds: readonly SynthesizableKind[],
  flags: UninstallFlags,
  { print, withProgress }: Screen,
): Promise<void> {
  const timeoutMs = readTimeout(flags.timeout);
  const { name, namespace } = readOperatorValues({ image: "any", ...(await gatherValues(flags)) });
  const installation = installationIdOf({ name, namespace });
  await withCluster(flags, async (client, server) => {
    const options = { kinds, client, installation, name, namespace, timeoutMs };
    const found = await findInstallation(options, { keepCrds: flags.keepCrds === true });
    if (found.objects.length + found.definitions.length === 0) {
      print(`There is no installation "${name}" in namespace "${namespace}": nothing to do`);
      return;
    }
    if (found.resources.length > 0 && flags.deleteResources !== true) await askAbout(found.resources);
    const kept = await withProgress(`Uninstalling from ${server.origin}`, (report) =>
      uninstall(found, { ...options, report }),
    );
    const objects = [...found.definitions, ...found.objects.map(([object]) => object)];
    const keptTitles = new Set(kept.map(({ title }) => title));
    for (const title of objects.map(titleOf)) if (!keptTitles.has(title)) print(`removed   ${title}`);
    for (const { title, why } of kept) print(`kept      ${title}: ${why}`);
  });
}

/** @throws Error unless the user confirms at a terminal. */
async function askAbout(remaining: readonly RemainingResources[]): Promise<void> {
  const what = remaining.map(countOf).join(", ");
  const choice =
    "--delete-resources deletes them, --keep-crds keeps them and their CustomResourceDefinitions";
  const refusal = new Error(
    `Cannot remove the CustomResourceDefinitions: there are ${what} and the objects created for them; ${choice}`,
  );
  if (!process.stdin.isTTY || !process.stdout.isTTY) throw refusal;
  const questions = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const answer = await questions.question(`Delete ${what} and the objects created for them? (yes/no) `);
    if (!/^y(es)?$/i.test(answer.trim())) throw refusal;
  } finally {
    questions.close();
  }
}
