import type { Command } from "commander";
import { createHealthChecks } from "../../operator/engine/health/health-checks.ts";
import type { SynthesizableKind } from "../../synth/synthesize.ts";
import { formatTree } from "../release/format-tree.ts";
import { readKinds } from "../release/read-kinds.ts";
import { readTree } from "../release/read-tree.ts";
import { type ReleaseFlags, releaseCommand, withReleases } from "../release/release-command.ts";
import { conditionOf, labelOfRelease, type ReleaseObject } from "../release/release-object.ts";
import { describeRelease, describeTrouble } from "../release/state-line.ts";
import { type Screen, terminal } from "./screen.ts";

/** Assumed width of a file or pipe. */
const wideColumns = 160;

/** `fairlead tree NAME`: shows the objects of a Release, the objects that they own, and their health. */
export function treeCommand({ kinds }: { readonly kinds: readonly SynthesizableKind[] }): Command {
  return releaseCommand(
    "tree",
    "Show the objects of a Release, the objects they own, and their health",
  ).action((name: string, flags: ReleaseFlags) => runTree(name, { ...flags, kinds }, terminal));
}

/** @throws Error with a message for users. */
export async function runTree(
  name: string,
  { kinds, ...flags }: ReleaseFlags & { readonly kinds: readonly SynthesizableKind[] },
  { print }: Screen,
): Promise<void> {
  const { release, objects } = await withReleases(flags, async ({ client, transport, find }) => {
    const found = await find(name);
    const cluster = await readKinds(transport);
    const options = { client, cluster, kinds, assess: assessorOf(found) };
    return { release: found, objects: await readTree(found, options) };
  });
  if (flags.output === "json") {
    const { status, spec } = release;
    const [ready, sourced] = [conditionOf(release, "Ready"), conditionOf(release, "Sourced")];
    const about = {
      release: labelOfRelease(release),
      revision: status?.revision,
      pinned: spec.revision,
      ignored: status?.ignored,
      ready,
      sourced,
    };
    return print(JSON.stringify({ ...about, objects }, undefined, 2));
  }
  print(describeRelease(release));
  const trouble = describeTrouble(release);
  if (trouble !== undefined) print(`  ${trouble.replaceAll(/\s+/g, " ")}`);
  const width = process.stdout.isTTY ? process.stdout.columns : wideColumns;
  for (const line of formatTree(objects, { width })) print(line);
  if (objects.length === 0) print("It has no objects");
}

/** Assesses health as the operator does. */
function assessorOf({ spec }: ReleaseObject): Parameters<typeof readTree>[1]["assess"] {
  const checks = createHealthChecks();
  const nowMs = Date.now();
  return (live, pods) => checks.assess(live, spec.healthChecks, { nowMs, pods });
}
