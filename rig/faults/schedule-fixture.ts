import { join } from "node:path";
import { AuditTail } from "./audit-tail.ts";
import { createFixture, type Fixture } from "./fixture.ts";
import type { OperatorProcess } from "./operator-process.ts";
import { type Chance, chanceFrom } from "./random.ts";
import type { Schedule } from "./schedule.ts";
import type { SharedSetup } from "./shared-setup.ts";
import { SmallDisk } from "./small-disk.ts";

/** Short times that still allow a second attempt of a renewal on a busy machine. */
export const leaseTimes = { leaseDurationMs: 4_000, renewDeadlineMs: 3_000, retryPeriodMs: 400 } as const;

/** The parts that only one schedule uses. */
export interface ScheduleFixture extends Fixture {
  readonly disk: SmallDisk;
  readonly operators: readonly [OperatorProcess, OperatorProcess];
  readonly audit: AuditTail;
  readonly chance: Chance;
}

export async function createScheduleFixture(
  shared: SharedSetup,
  { seed, protocol }: Schedule,
): Promise<ScheduleFixture> {
  const audit = await AuditTail.begin(shared.cluster.auditLogPath);
  const chance = chanceFrom(seed + 1);
  const fixture = await createFixture(shared, { name: `faults-${seed}`, protocol, chance });
  const { namespace, folder, git } = fixture;
  const disk = await SmallDisk.create(join(folder, "disk"));
  fixture.cleanup.defer(() => disk.remove());
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = leaseTimes;
  const args = [
    "--leader-elect",
    `--leader-elect-namespace=${namespace}`,
    `--lease-duration=${leaseDurationMs}ms`,
    `--renew-deadline=${renewDeadlineMs}ms`,
    `--retry-period=${retryPeriodMs}ms`,
    `--repository=${git.path}`,
    `--repository-cache=${disk.path}`,
  ];
  const environment = { PATH: `${git.commandFolder}:${process.env["PATH"]}`, ...shared.environment };
  const operatorIn = (slot: 0 | 1): OperatorProcess => fixture.addOperator(args, { slot, environment });
  return { ...fixture, disk, operators: [operatorIn(0), operatorIn(1)], audit, chance };
}
