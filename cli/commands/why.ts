import { Command } from "commander";
import { Promotion } from "../../crds/promotion.ts";
import { createShapeOf } from "../../operator/engine/declared-shapes.ts";
import type { SynthesizableKind } from "../../synth/synthesize.ts";
import { commandLine, kubectlLine, operatorCommandLine } from "../release/command-line.ts";
import {
  addReleaseOptions,
  type ReleaseFlags,
  type ReleaseSession,
  withReleases,
} from "../release/release-command.ts";
import { findResource } from "../why/find-resource.ts";
import { formatWhy } from "../why/format-why.ts";
import type { PasteableCommands } from "../why/remedies.ts";
import { whyPromotion } from "../why/why-promotion.ts";
import { whyRelease } from "../why/why-release.ts";
import { exitCodeOf, type WhyReport } from "../why/why-report.ts";
import { whyResource } from "../why/why-resource.ts";
import { whyServed } from "../why/why-served.ts";
import { readTimeout } from "./installation-options.ts";
import { type Screen, terminal } from "./screen.ts";

export interface WhyFlags extends ReleaseFlags {
  readonly timeout?: string;
  readonly weakSandbox?: boolean;
}

interface WhyInput extends WhyFlags {
  readonly kinds: readonly SynthesizableKind[];
}

/** `fairlead why KIND/NAME`: explains the planned changes, the reasons for waiting, and the next steps for the user. */
export function whyCommand({ kinds }: { readonly kinds: readonly SynthesizableKind[] }): Command {
  const command = new Command("why")
    .description("Explain what a resource waits for, until when, and what to do")
    .argument("<kind/name>", "such as release/web or podset/web; a name alone means a Release")
    .option("--timeout <time>", "how long to wait for the repository of a Release", "2m")
    .option("--weak-sandbox", "use files from git even if the kernel cannot isolate processes");
  return addReleaseOptions(command)
    .addHelpText(
      "after",
      `
The command plans as the operator does, with the rights of the kubeconfig's user, and changes nothing: applies are dry runs. It does
not contact the operator. Objects that you may not read are listed under Unknown. Of a kind whose chart another program has, it
shows what the conditions and the objects say.

Exits 0 if all objects are up to date and nothing is pending, 1 if something is, 2 if that is unknown, the
source needs --weak-sandbox, or the command failed.`,
    )
    .action(async (text: string, flags: WhyFlags) => {
      process.exitCode = await runWhy(text, { ...flags, kinds }, terminal);
    });
}

/** @throws Error with a message for users. */
export async function runWhy(
  text: string,
  flags: WhyInput,
  { print }: Pick<Screen, "print">,
): Promise<number> {
  const report = await withReleases(flags, (session) => explain(text, flags, session));
  if (flags.output === "json") print(JSON.stringify(report, undefined, 2));
  else for (const line of formatWhy(report)) print(line);
  return exitCodeOf(report);
}

function explainerOf({ definition }: SynthesizableKind): typeof whyResource {
  const isPromotion = definition.group === Promotion.group && definition.kind === Promotion.kind;
  return isPromotion ? whyPromotion : whyResource;
}

async function explain(text: string, flags: WhyInput, session: ReleaseSession): Promise<WhyReport> {
  const found = await findResource(text, { session, kinds: flags.kinds });
  const nowMs = Date.now();
  const shapeOf = createShapeOf(flags.kinds);
  const { metadata } = "release" in found ? found.release : found.resource;
  const named = { ...flags, env: process.env };
  const commands: PasteableCommands = {
    fairlead: (...words) => commandLine(words, { metadata }, named),
    kubectl: (...words) => kubectlLine(words, flags),
    operatorLog: operatorCommandLine(["logs"], named),
  };
  if ("binding" in found)
    return await explainerOf(found.binding)(found.resource, {
      session,
      shapeOf,
      binding: found.binding,
      commands,
      nowMs,
    });
  if ("kind" in found) return await whyServed(found.resource, { session, kind: found.kind, commands, nowMs });
  const timeoutMs = readTimeout(flags.timeout);
  const { weakSandbox = false } = flags;
  const explainOther = ({ namespace, name }: { readonly namespace: string; readonly name: string }) =>
    commandLine(["why"], { metadata: { namespace, name: `release/${name}` } }, named);
  return await whyRelease(found.release, {
    ...{ session, shapeOf, commands, explainOther, nowMs, timeoutMs, weakSandbox },
  });
}
