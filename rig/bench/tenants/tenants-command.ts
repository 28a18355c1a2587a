import { appendFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { withLock } from "../../../cli/local-cluster/lock.ts";
import { untilQuiet } from "../cell/quiet-machine.ts";
import { startReleaseRig } from "../releases/release-rig.ts";
import { fill, openWatches } from "../releases/scenarios.ts";
import { GitFolder } from "./git-folder.ts";
import { firstFiles, type Part, parts } from "./hostile-files.ts";
import { HostileTenant, refusedBranches } from "./hostile-tenant.ts";
import { QuietTenant } from "./quiet-tenant.ts";
import { assessEdits, type Beside, blocksOf, type EditKind, type MeasuredEdits } from "./report.ts";

interface TenantsOptions {
  readonly edits: string;
  readonly releases: string;
  readonly only: string | undefined;
  readonly quietWait: string;
  readonly out: string | undefined;
}

interface Measured {
  readonly edits: readonly MeasuredEdits[];
  /** The observed state of the hostile tenant's Releases. */
  readonly seen: readonly string[];
}

/** `npm run bench -- tenants`: measures edits of one tenant, alternately with and without a hostile one. */
export function tenantsCommand(report: (line: string) => void): Command {
  return new Command("tenants")
    .description("Measure edits of one tenant, alternately with and without a hostile tenant")
    .option(
      "--edits <n>",
      "edits of each kind: without the tenant, beside its suspended Releases, and beside its Releases",
      "200",
    )
    .option("--releases <n>", "Releases of the tenant whose edits are measured", "40")
    .option("--only <parts>", `actions of the hostile tenant, from ${Object.keys(parts)}; default: all`)
    .option("--quiet-wait <seconds>", "longest wait for a quiet machine", "120")
    .option("--out <file>", "file that the raw results are appended to, as JSON")
    .action(async (options: TenantsOptions) => {
      // Run one measurement at a time on this machine, for all users.
      const onWait = ({ pid }: { pid: number }): void => report(`Waiting for process ${pid}, which measures`);
      const lock = join(tmpdir(), "fairlead-bench.lock");
      const { edits, seen } = await withLock(lock, () => measure(options, report), { onWait });
      const findings = edits.map(assessEdits);
      process.stdout.write(
        `${findings.flatMap(({ lines }) => lines).join("\n")}\nThe hostile tenant's Releases showed: ${seen.join(", ")}\n`,
      );
      if (options.out !== undefined) await appendFile(options.out, `${JSON.stringify({ edits, seen })}\n`);
      if (findings.some(({ holds }) => !holds)) process.exitCode = 1;
    });
}

async function measure(options: TenantsOptions, report: (line: string) => void): Promise<Measured> {
  const [count, sets] = [Number(options.edits), Number(options.releases)];
  const does = (Object.keys(parts) as Part[]).filter(
    (part) => options.only?.split(",").includes(part) ?? true,
  );
  const folder = await mkdtemp(join(tmpdir(), "fairlead-bench-tenants-"));
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const)
    process.once(name, () => stop.abort(new Error(`Ended by ${name}`)));
  const [git, published] = await Promise.all(
    ["hostile", "published"].map((name) => GitFolder.create(folder, name)),
  );
  if (git === undefined || published === undefined) throw new Error("Cannot create the repositories");
  await published.refuse(refusedBranches);
  await git.push(firstFiles());
  const operatorArguments = [`--repository=${published.url}`, `--repository-cache=${join(folder, "cache")}`];
  const rig = await startReleaseRig({ sets, operatorArguments, report });
  try {
    await untilQuiet({ waitSeconds: Number(options.quietWait), report });
    await HostileTenant.prepare(rig.api);
    const watches = await openWatches(rig, stop.signal);
    const quiet = new QuietTenant(rig, watches, sets);
    report(`Filling with ${sets} Releases`);
    await fill(rig, watches, sets);
    await quiet.fill();
    const hostile = new HostileTenant({ api: rig.api, git, releases: watches.releases, does });
    const found: Record<EditKind, Record<Beside, number[]>> = {
      resource: { absent: [], suspended: [], served: [] },
      release: { absent: [], suspended: [], served: [] },
    };
    for (const { beside, edits } of blocksOf(count)) {
      stop.signal.throwIfAborted();
      report(`${edits} edits of each kind, with the hostile tenant ${beside}`);
      if (beside !== "absent") await hostile.begin({ isSuspended: beside === "suspended" });
      for (const kind of ["resource", "release"] as const)
        found[kind][beside].push(...(await quiet.edit(kind, edits)));
      if (beside !== "absent") await hostile.end();
    }
    const edits = Object.entries(found).map(([kind, times]) => ({ kind: kind as EditKind, ...times }));
    return { edits, seen: [...hostile.seen].toSorted() };
  } finally {
    stop.abort();
    await rig.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
