import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { Namespace } from "../../crds/core-kinds.ts";
import { AuditTail } from "./audit-tail.ts";
import { GitServer } from "./git-server.ts";
import { Journal } from "./journal.ts";
import { OperatorProcess } from "./operator-process.ts";
import { ApiProxy } from "./proxy.ts";
import { type Chance, chanceFrom } from "./random.ts";
import type { Schedule } from "./schedule.ts";
import type { SharedSetup } from "./shared-setup.ts";
import { SmallDisk } from "./small-disk.ts";

/** Short times that still allow a second attempt of a renewal on a busy machine. */
export const leaseTimes = { leaseDurationMs: 4_000, renewDeadlineMs: 3_000, retryPeriodMs: 400 } as const;

/** The parts that only one schedule uses. */
export interface ScheduleFixture {
  readonly shared: SharedSetup;
  readonly namespace: string;
  readonly proxy: ApiProxy;
  readonly journal: Journal;
  readonly git: GitServer;
  readonly disk: SmallDisk;
  readonly operators: readonly [OperatorProcess, OperatorProcess];
  readonly audit: AuditTail;
  readonly chance: Chance;
  close(): Promise<void>;
}

export async function createScheduleFixture(
  shared: SharedSetup,
  { seed, protocol }: Schedule,
): Promise<ScheduleFixture> {
  const id = `faults-${seed}-${crypto.randomUUID().slice(0, 6)}`;
  const folder = join(shared.folder, id);
  await mkdir(folder, { recursive: true });
  const audit = await AuditTail.begin(shared.cluster.auditLogPath);
  await shared.api.create(Namespace, { metadata: { name: id } });
  const chance = chanceFrom(seed + 1);
  const journal = new Journal(id);
  const proxy = await ApiProxy.start({ upstream: shared.upstream, protocol, journal, chance });
  const git = await GitServer.create(folder);
  const disk = await SmallDisk.create(join(folder, "disk"));
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = leaseTimes;
  const args = [
    `--namespace=${id}`,
    "--leader-elect",
    `--leader-elect-namespace=${id}`,
    `--lease-duration=${leaseDurationMs}ms`,
    `--renew-deadline=${renewDeadlineMs}ms`,
    `--retry-period=${retryPeriodMs}ms`,
    `--repository=${git.path}`,
    `--repository-cache=${disk.path}`,
  ];
  const environment = {
    PATH: `${git.commandFolder}:${process.env["PATH"]}`,
    ...shared.environment,
  };
  const { program, preload } = shared;
  const operatorIn = (slot: 0 | 1): OperatorProcess =>
    new OperatorProcess({ slot, folder, program, preload, proxy, args, environment });
  const operators = [operatorIn(0), operatorIn(1)] as const;
  return {
    ...{ shared, namespace: id, proxy, journal, git, disk, operators, audit, chance },
    async close() {
      await Promise.all(operators.map((operator) => operator.stop()));
      await proxy.close();
      await disk.remove();
      await shared.api.delete(Namespace, undefined, id);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
