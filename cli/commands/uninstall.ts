import { createInterface } from "node:readline/promises";
import { Command } from "commander";
import { installationIdOf } from "../../charts/installation.ts";
import { readOperatorValues } from "../../charts/operator-values.ts";
import type { SynthesizableKind } from "../../synth/synthesize.ts";
import { type ConnectOptions, withCluster } from "../install/connect.ts";
import { titleOf } from "../install/installable-kinds.ts";
import { countOf, type RemainingResources } from "../install/remove-resources.ts";
import { gatherValues, type ValuesSource } from "../install/set-values.ts";
import { findInstallation, uninstall } from "../install/uninstall.ts";
import { collect, DEFAULT_TIMEOUT, readTimeout } from "./install.ts";
import { type Screen, terminal } from "./screen.ts";

export interface UninstallFlags extends ConnectOptions, ValuesSource {
  readonly keepCrds?: true;
  readonly deleteResources?: true;
  readonly timeout?: string;
}

/** `fairlead uninstall`: leaves nothing of an installation. */
export function uninstallCommand({ kinds }: { readonly kinds: readonly SynthesizableKind[] }): Command {
  return new Command("uninstall")
    .description("Remove the operator and all that was installed with it; asks before resources would go")
    .option("--values <file>", "the values it was installed with, for name and namespace")
    .option("--set <name=value>", "one of them, such as name=…; repeatable", collect)
    .option("--keep-crds", "leave CustomResourceDefinitions and all resources as they are")
    .option("--delete-resources", "delete the resources too, without asking")
    .option("--timeout <time>", "how long to wait until everything is gone", DEFAULT_TIMEOUT)
    .option("--kubeconfig <file>", "kubeconfig file; default: KUBECONFIG, ~/.kube/config")
    .option("--context <name>", "context of the kubeconfig; default: its current context")
    .action((flags: UninstallFlags) => runUninstall(kinds, flags, terminal));
}

/** @throws an error for people: what could not be done, with which object, why, and what to do. */
export async function runUninstall(
  kinds: readonly SynthesizableKind[],
  flags: UninstallFlags,
  { print, withProgress }: Screen,
): Promise<void> {
  const timeoutMs = readTimeout(flags.timeout);
  const { name, namespace } = readOperatorValues(await gatherValues(flags));
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
    const isKept = (title: string) => kept.some((line) => line.startsWith(`${title}:`));
    for (const title of objects.map(titleOf)) if (!isKept(title)) print(`removed   ${title}`);
    for (const line of kept) print(`kept      ${line}`);
  });
}

/** @throws Error unless somebody at a terminal says yes. */
async function askAbout(remaining: readonly RemainingResources[]): Promise<void> {
  const what = remaining.map(countOf).join(", ");
  const choice =
    "--delete-resources deletes them, --keep-crds leaves them and their CustomResourceDefinitions";
  const refusal = new Error(
    `Cannot remove the CustomResourceDefinitions: there are ${what}, and all that was made for them; ${choice}`,
  );
  if (!process.stdin.isTTY || !process.stdout.isTTY) throw refusal;
  const questions = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const answer = await questions.question(`Delete ${what}, and all that was made for them? (yes/no) `);
    if (!/^y(es)?$/i.test(answer.trim())) throw refusal;
  } finally {
    questions.close();
  }
}
