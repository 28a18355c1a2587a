import { Command, Option } from "commander";
import {
  environmentTwinOf,
  type OptionName,
  type OptionTexts,
  operatorOptions,
} from "../../operator/config.ts";
import { runOperator } from "../../operator/main.ts";
import type { SynthesizableKind } from "../../synth/synthesize.ts";
import { provideLauncher } from "../launcher/build-launcher.ts";
import { requireGit } from "../local-cluster/preconditions.ts";

interface OptionSpec {
  readonly flag: string;
  readonly value?: string;
  readonly help: string;
  readonly fallback?: string;
  readonly repeatable?: true;
}

/** `fairlead run`: reconciles the given kinds until it is stopped. */
export function runCommand({ kinds }: { readonly kinds: readonly SynthesizableKind[] }): Command {
  const command = new Command("run")
    .description(
      "Reconcile custom resources and Releases: apply their objects, correct drift, commit manifests to git",
    )
    .addHelpText(
      "after",
      "\nThe operator waits for CRDs that are missing; `fairlead crds` prints all of them.",
    );
  const names = new Map<string, OptionName>();
  for (const [name, spec] of Object.entries(operatorOptions) as [OptionName, OptionSpec][]) {
    const option = new Option(
      spec.value === undefined ? `--${spec.flag} [true|false]` : `--${spec.flag} <${spec.value}>`,
      `${spec.help} (${environmentTwinOf(name)}${spec.fallback ? `, default ${spec.fallback}` : ""})`,
    );
    if (spec.value === undefined) option.preset("true");
    if (spec.repeatable) option.argParser((value: string, all: readonly string[] = []) => [...all, value]);
    names.set(option.attributeName(), name);
    command.addOption(option);
  }
  return command.action(async (values: Record<string, string | readonly string[]>) => {
    const texts: OptionTexts = Object.fromEntries(
      Object.entries(values).map(([attribute, value]) => [names.get(attribute) ?? attribute, value]),
    );
    endWithParent();
    if (needsGit(texts, process.env)) await requireGit(process.env);
    process.exitCode = await runOperator({
      kinds,
      options: texts,
      provideLauncher: () => provideLauncher(process.env),
    });
  });
}

/** Whether the operator needs git, because it fetches Releases or publishes. The image has git, but a laptop may not. */
function needsGit(texts: OptionTexts, env: NodeJS.ProcessEnv): boolean {
  const textOf = (name: OptionName) => texts[name] ?? env[environmentTwinOf(name)] ?? "";
  return textOf("repository") !== "" || !["", "false"].includes(String(textOf("releases")));
}

/** Ends this process when its parent, `fairlead start`, ends. The channel between them closes even if the parent is killed. */
function endWithParent(): void {
  if (process.channel === undefined) return;
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
  process.channel.unref();
}
