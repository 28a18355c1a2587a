import { expect } from "vitest";
import type { AuditEvent } from "./audit-log.ts";
import { eventually } from "./fixture.ts";
import type { RunningOperator } from "./operator.ts";
import { anOperatorUser, isWork, type OperatorUser } from "./operator-user.ts";
import { aRecordedGit, type RecordedGit } from "./recorded-git.ts";
import { aStampHarness, manyNames, type StampHarness } from "./stamps.ts";

/** An operator, its user, and its git commands. */
export interface Instance {
  readonly user: OperatorUser;
  readonly operator: RunningOperator;
  readonly git: RecordedGit;
}

/** Two operators for the same resources. */
export interface Pair {
  readonly harness: StampHarness;
  readonly leader: Instance;
  readonly standby: Instance;
}

export const names = manyNames(10);
/** Options for a fast election. */
export const short = ["--lease-duration=3s", "--renew-deadline=2s", "--retry-period=500ms"];

/** Ten Stamps, a leading operator, and a standby. */
export async function aPair(times: readonly string[] = []): Promise<Pair> {
  const harness = await aStampHarness();
  await harness.apply(names, { text: "one" });
  const start = async (name: string): Promise<Instance> => {
    const user = await anOperatorUser(harness.namespace, { rights: "stamps", name });
    const git = await aRecordedGit();
    const { environment } = git;
    const { kubeconfigPath } = user;
    const operator = await harness.start(["--leader-elect", ...times], { kubeconfigPath, environment });
    return { user, operator, git };
  };
  const leader = await start("first");
  await leader.operator.untilLogged("Became leader");
  await harness.untilSettled(names.length);
  const standby = await start("second");
  await standby.operator.untilLogged("Another instance leads");
  return { harness, leader, standby };
}

/** Successful writes to anything but the Lease and events. */
export async function writesOf({ user }: Instance, since?: Date): Promise<AuditEvent[]> {
  return (await user.requests(since)).filter(
    (request) => isWork(request) && (request.responseStatus?.code ?? 500) < 300,
  );
}

/** Expects that every child of every Stamp was applied this number of times, by any instance. */
export async function expectApplies({ leader, standby }: Pair, times: number): Promise<void> {
  const writes = [...(await writesOf(leader)), ...(await writesOf(standby))];
  const applies = writes.filter(({ objectRef }) => objectRef?.resource === "configmaps");
  const byName = Map.groupBy(applies, ({ objectRef }) => objectRef?.name);
  expect(byName.size).toBe(3 * names.length);
  for (const [name, requests] of byName) expect(requests.length, name).toBe(times);
}

/** Waits until the newest text is in the cluster and in the repository. */
export async function untilText({ harness }: Pair, text: string): Promise<void> {
  await harness.untilSettled(names.length);
  await eventually(
    () => names.every((name) => harness.repository.read(fileOf(harness, name)).includes(text)),
    {
      what: "the repository has the newest text",
    },
  );
}

function fileOf({ namespace }: StampHarness, name: string): string {
  return `${namespace}/stamps.tests.fairlead.dev/${name}/configmap-${name}-0.yaml`;
}

/** Seconds from a time to the first write of an operator after it. */
export async function firstWriteAfter(instance: Instance, since: Date): Promise<number> {
  const [first] = await eventually(
    async () => {
      const writes = await writesOf(instance, since);
      return writes.length > 0 && writes;
    },
    { what: "the standby writes" },
  );
  return (Date.parse(first?.requestReceivedTimestamp ?? "") - since.getTime()) / 1_000;
}
