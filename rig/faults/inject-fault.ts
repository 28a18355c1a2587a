import { setTimeout as sleep } from "node:timers/promises";
import { Lease } from "../../crds/core-kinds.ts";
import { asWireFault } from "./active-faults.ts";
import type { FaultType } from "./fault-types.ts";
import type { ForcedChange } from "./fence.ts";
import type { SentWrite } from "./journal.ts";
import type { OperatorProcess } from "./operator-process.ts";
import type { Fault } from "./schedule.ts";
import type { ScheduleFixture } from "./schedule-fixture.ts";

/** The effects of a schedule that the checks need. */
export interface Traces {
  readonly forced: ForcedChange[];
  isTampered: boolean;
  /** Faults that are not possible here, such as a full disk without the right to mount one. */
  readonly skipped: Set<FaultType>;
}

type InjectFault = (
  fault: Fault,
  fixture: ScheduleFixture,
  traces: Traces,
  healing: AbortSignal,
) => Promise<void>;

const longestSleepMs = 15_000;
const threeDaysMs = 3 * 24 * 3_600_000;

/** Starts a fault, waits, and ends it. It ends at `healing` at the latest. */
export const injectFault: InjectFault = async (fault, fixture, traces, healing) => {
  const wire = asWireFault(fault);
  if (wire === undefined) {
    fixture.journal.hit(fault.type);
    return await others[fault.type as keyof typeof others](fault, fixture, traces, healing);
  }
  fixture.proxy.begin(wire);
  await untilEnd(fault, healing);
  fixture.proxy.end(wire);
};

const gitFault =
  (begin: (fixture: ScheduleFixture, fault: Fault) => Promise<void>): InjectFault =>
  async (fault, fixture, _, healing) => {
    await begin(fixture, fault);
    await untilEnd(fault, healing);
    await fixture.git.heal();
  };

const others = {
  kill: async (fault, fixture) => affectedOperator(fault, fixture).signal("SIGKILL"),
  async pause(fault, fixture, _, healing) {
    const operator = affectedOperator(fault, fixture);
    operator.signal("SIGSTOP");
    // Half of the paused operators continue after another one leads, the others shortly after the pause.
    if (fault.amount < 0.5) await untilTakenFrom(operator, fixture);
    else await untilEnd(fault, healing);
    operator.signal("SIGCONT");
  },
  async "clock-jump"(fault, fixture) {
    const offsetMs = Math.round((fault.amount - 0.5) * 2 * threeDaysMs);
    for (const operator of fixture.operators)
      if (fault.target === "both" || fault.target === operator.slot) operator.moveClock(offsetMs);
  },
  async "lease-deleted"(_, { shared, namespace }, { forced }) {
    const fromMs = Date.now();
    await shared.api.delete(Lease, namespace, "fairlead");
    forced.push({ fromMs, toMs: Date.now() });
  },
  async "lease-taken"(_, { shared, namespace }, { forced }) {
    const fromMs = Date.now();
    const renewTime = new Date().toISOString().replace("Z", "000Z");
    const spec = { holderIdentity: "somebody-else", leaseDurationSeconds: 1, renewTime };
    await shared.api.patch(Lease, namespace, "fairlead", { spec });
    forced.push({ fromMs, toMs: Date.now() });
  },
  "push-refused": gitFault(({ git }) => git.refusePushes()),
  "push-hangs": gitFault(({ git }) => git.hangPushes()),
  "push-answer-lost": gitFault(({ git }) => git.loseAnswers()),
  "remote-gone": gitFault(({ git }) => git.vanish()),
  "fetch-corrupted": gitFault(({ git }, { amount }) => git.corruptFetches(Math.floor(amount * 4_000))),
  async "disk-full"(fault, { disk }, { skipped }, healing) {
    if (!(await disk.fill())) skipped.add(fault.type);
    await untilEnd(fault, healing);
    await disk.empty();
  },
  async "foreign-push"(fault, { git }, _, healing) {
    const end = performance.now() + fault.forMs;
    for (let count = 0; performance.now() < end && !healing.aborted; count++) {
      await git.commitByOthers({ [`theirs/${fault.atMs}-${count}.txt`]: `${count}\n` }).catch(() => false);
      await sleep(20 + 300 * fault.amount);
    }
  },
  async "foreign-edit"({ amount }, { git, namespace, chance }, traces) {
    const list = await git.git(["ls-tree", "-r", "-z", "--name-only", "main"]).catch(() => "");
    const files = list.split("\0").filter((path) => path.startsWith(`${namespace}/`));
    if (files.length === 0) return;
    traces.isTampered = true;
    const content = amount < 0.5 ? undefined : "by hand\n";
    await git.commitByOthers({ [chance.pick(files)]: content }).catch(() => false);
  },
  async "api-server-restart"({ amount }, { shared }) {
    await shared.restart?.("kube-apiserver", amount < 0.5 ? 0 : 1_000);
  },
  async "etcd-restart"(_, { shared }) {
    await shared.restart?.("etcd", 0);
  },
} satisfies Partial<Record<FaultType, InjectFault>>;

/** Waits for a limited time until the other operator has acquired the Lease. Does not wait if this one does not lead. */
async function untilTakenFrom({ slot }: OperatorProcess, { journal }: ScheduleFixture): Promise<void> {
  const claims = (): readonly SentWrite[] => journal.writes.filter(({ holder }) => holder !== undefined);
  const started = performance.now();
  while (claims().at(-1)?.incarnation.startsWith(`${slot}.`) && performance.now() - started < longestSleepMs)
    await sleep(50);
  await sleep(500);
}

async function untilEnd({ forMs }: Pick<Fault, "forMs">, healing: AbortSignal): Promise<void> {
  await sleep(forMs, undefined, { signal: healing }).catch(() => undefined);
}

/** The affected operator. The leader is the sender of the last claim of the Lease. */
function affectedOperator({ target }: Fault, { operators, journal }: ScheduleFixture): OperatorProcess {
  if (target !== "both") return operators[target];
  const last = journal.writes.findLast(({ holder }) => holder !== undefined);
  return last?.incarnation.startsWith("1.") ? operators[1] : operators[0];
}
