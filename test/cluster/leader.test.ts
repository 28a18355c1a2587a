import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { AuditEvent } from "./audit-log.ts";
import { eventually, kubectl, readObject } from "./fixture.ts";
import { aGitWitness, type GitWitness } from "./git-witness.ts";
import type { RunningOperator } from "./operator.ts";
import { anOperatorUser, isWrite, lineOf, type OperatorUser } from "./operator-user.ts";
import { aStampStory, manyNames, type StampStory } from "./stamps.ts";

interface Instance {
  readonly user: OperatorUser;
  readonly operator: RunningOperator;
  readonly git: GitWitness;
}

interface Pair {
  readonly story: StampStory;
  readonly leader: Instance;
  readonly standby: Instance;
}

const names = manyNames(10);
const short = ["--lease-duration=3s", "--renew-deadline=2s", "--retry-period=500ms"];

/** Ten Stamps, an operator that leads, and another that is ready to. */
async function aPair(times: readonly string[] = []): Promise<Pair> {
  const story = await aStampStory();
  await story.apply(names, { text: "one" });
  const start = async (name: string): Promise<Instance> => {
    const user = await anOperatorUser(story.namespace, { rights: "stamps", name });
    const git = await aGitWitness();
    const { environment } = git;
    const operator = await story.start(["--leader-elect", ...times], { user, environment });
    return { user, operator, git };
  };
  const leader = await start("first");
  await leader.operator.untilLogged("Became leader");
  await story.untilSettled(names.length);
  const standby = await start("second");
  await standby.operator.untilLogged("Another instance leads");
  return { story, leader, standby };
}

/** Successful writes to anything but the Lease and events. */
async function writesOf({ user }: Instance, since?: Date): Promise<AuditEvent[]> {
  return (await user.requests(since)).filter(
    (request) =>
      isWrite(request) &&
      !["leases", "events"].includes(request.objectRef?.resource ?? "") &&
      (request.responseStatus?.code ?? 500) < 300,
  );
}

/** Every child of every Stamp was applied this number of times, by any instance. */
async function expectApplies({ leader, standby }: Pair, times: number): Promise<void> {
  const writes = [...(await writesOf(leader)), ...(await writesOf(standby))];
  const applies = writes.filter(({ objectRef }) => objectRef?.resource === "configmaps");
  const byName = Map.groupBy(applies, ({ objectRef }) => objectRef?.name);
  expect(byName.size).toBe(3 * names.length);
  for (const [name, requests] of byName) expect(requests.length, name).toBe(times);
}

/** The newest text is everywhere: in the cluster, and in the repository. */
async function untilSays({ story }: Pair, text: string): Promise<void> {
  await story.untilSettled(names.length);
  await eventually(() => names.every((name) => story.repository.read(fileOf(story, name)).includes(text)), {
    what: "the repository follows",
  });
}

function fileOf({ namespace }: StampStory, name: string): string {
  return `${namespace}/stamps.stories.fairlead.dev/${name}/configmap-${name}-0.yaml`;
}

async function firstWriteAfter(instance: Instance, since: Date): Promise<number> {
  const [first] = await eventually(
    async () => {
      const writes = await writesOf(instance, since);
      return writes.length > 0 && writes;
    },
    { what: "the other one writes", timeoutMs: 40_000 },
  );
  return (Date.parse(first?.requestReceivedTimestamp ?? "") - since.getTime()) / 1_000;
}

describe("of two operators", () => {
  test("one writes, and when it is stopped the other one does within 5 s", async () => {
    const pair = await aPair();
    const { story, leader, standby } = pair;
    await story.apply(names, { text: "two" });
    await untilSays(pair, "two");
    expect((await writesOf(standby)).map(lineOf)).toEqual([]);
    expect(standby.git.commands()).toEqual([]);

    const stopped = new Date();
    await Promise.all([leader.operator.stop(), story.apply(names, { text: "three" })]);
    expect(await firstWriteAfter(standby, stopped)).toBeLessThan(5);
    await untilSays(pair, "three");
    await expectApplies(pair, 3);
  });

  test("the other one writes within 24 s after the first was killed", async () => {
    const pair = await aPair();
    const { story, leader, standby } = pair;
    const killed = new Date();
    await leader.operator.stop("SIGKILL");
    await story.apply(names, { text: "two" });
    expect(await firstWriteAfter(standby, killed)).toBeLessThan(24);
    await untilSays(pair, "two");
    await expectApplies(pair, 2);
  });

  test("one writes after their Lease was deleted, and nothing is done twice", async () => {
    const pair = await aPair(short);
    const { story } = pair;
    const lease = () => readObject("lease", "fairlead", story.namespace);
    const old = await lease();
    await kubectl(["delete", "lease", "fairlead", "-n", story.namespace]);
    await eventually(async () => ((await lease())?.metadata.uid ?? old?.metadata.uid) !== old?.metadata.uid, {
      what: "the Lease is recreated",
    });
    // Longer than an old leader might go on in the belief that it leads.
    await sleep(3_000);
    await story.apply(names, { text: "two" });
    await untilSays(pair, "two");
    await expectApplies(pair, 2);
    expect(story.repository.files(`${story.namespace}/`)).toHaveLength(3 * names.length);
  });

  test("the one that slept through its lease writes nothing more, and ends", async () => {
    const pair = await aPair(short);
    const { story, leader, standby } = pair;
    process.kill(leader.operator.pid, "SIGSTOP");
    const paused = new Date();
    await story.apply(names, { text: "two" });
    await firstWriteAfter(standby, paused);
    await untilSays(pair, "two");
    // Work that could be done twice.
    await story.apply(names.slice(0, 5), { text: "three" });
    const woken = new Date();
    process.kill(leader.operator.pid, "SIGCONT");
    expect(await leader.operator.untilEnded()).toBe(1);
    await story.untilSettled(names.length);
    expect((await writesOf(leader, woken)).map(lineOf)).toEqual([]);
    expect(leader.git.commands().filter((command) => command === "push")).toHaveLength(pushesUpTo(pair));
  });
});

/** Commits that the first one made; the second one's have another term. */
function pushesUpTo({ story }: Pair): number {
  return story.repository.log().filter(({ message }) => /Fairlead-Lease: \S+\/0$/m.test(message)).length;
}
