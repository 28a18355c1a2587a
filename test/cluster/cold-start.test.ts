import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { AuditEvent } from "./audit-log.ts";
import { eventually, kubectlJson } from "./fixture.ts";
import { aHarness } from "./harness.ts";
import { isWrite, lineOf, type OperatorUser } from "./operator-user.ts";
import { metricsArgument, untilReconciled } from "./reconciled.ts";
import { aRecordedGit } from "./recorded-git.ts";
import { applySamples, untilSamplesReady } from "./sample-set.ts";
import { aStampHarness, manyNames } from "./stamps.ts";

const resources = 1_000;

test(`a restart with ${resources} converged resources writes nothing, and the operator sends no further requests`, {
  timeout: 600_000 + 1_000 * resources,
}, async () => {
  // Given resources with three objects each
  const harness = await aStampHarness();
  await harness.apply(manyNames(resources), { text: "one" });
  const first = await harness.start(["--leader-elect"]);
  await harness.untilSettled(resources, 240_000 + 500 * resources);
  await first.stop();

  // Then filling took 3 applies and 1 status write each, another one if the commit took over a second, no reads
  const fill = Map.groupBy(
    (await harness.user.requests()).filter(({ objectRef = {} }) =>
      /^stamps|^configmaps/.test(objectRef.resource ?? ""),
    ),
    ({ objectRef: { name = "" } = {} }) => (name.match(/stamp-\d+/) ?? [""])[0],
  );
  for (const [name, requests] of fill) if (name !== "") expectFill(requests);
  expect(fill.size - Number(fill.has(""))).toBe(resources);

  // When the operator starts again
  const commits = harness.repository.commits();
  const git = await aRecordedGit();
  const restarted = new Date();
  const second = await harness.start(["--leader-elect", "--log-level=debug", metricsArgument], {
    environment: git.environment,
  });
  await untilReconciled(second, resources);
  await untilRenewed(harness.user);

  // Then it only read existing objects, and changed nothing
  const asked = await harness.user.requests(restarted);
  expect(asked.map(lineOf).filter((line) => !isAllowedAtStart(line))).toEqual([]);
  expect(
    asked
      .filter(isWrite)
      .map(lineOf)
      .filter((line) => !/ leases /.test(line)).length,
  ).toBeLessThanOrEqual(1);
  expect(harness.repository.commits()).toBe(commits);
  expect(git.commands().filter((command) => !readCommands.includes(command))).toEqual([]);

  // And in the steady state there are only Lease renewals and one poll of the remote a minute
  const quiet = new Date();
  const before = git.commands().length;
  // Longer than the interval of the polls: there is no condition for requests that must not be sent.
  await sleep(75_000);
  const later = (await harness.user.requests(quiet)).map(lineOf);
  expect(later.filter((line) => !/^(update leases|watch )/.test(line))).toEqual([]);
  expect(later.length).toBeGreaterThan(25);
  expect(git.commands().slice(before)).toEqual(["ls-remote"]);

  // Nor was any event recorded
  const events = await kubectlJson<{ items: readonly { regarding: { kind: string } }[] }>([
    "get",
    "events.events.k8s.io",
    "-n",
    harness.namespace,
  ]);
  expect(events.items.filter(({ regarding }) => regarding.kind === "Stamp")).toEqual([]);
});

test("a restart with one converged resource of every shipped kind writes nothing", async () => {
  const { namespace, user, repository, ...harness } = await aHarness({ rights: "fairlead" });
  const start = (environment: NodeJS.ProcessEnv = {}) =>
    harness.start([metricsArgument, "--leader-elect"], { environment });
  const samples = await applySamples(namespace);
  const first = await start();
  await untilSamplesReady(samples);
  await eventually(() => repository.files(`${namespace}/`).length === 7, { what: "all of it is published" });
  // Statuses of pods and workloads still change for a while.
  await untilQuiet(user);
  await first.stop();

  const commits = repository.commits();
  const git = await aRecordedGit();
  const restarted = new Date();
  await untilReconciled(await start(git.environment), samples.length);
  await untilRenewed(user);
  const asked = (await user.requests(restarted)).map(lineOf);
  expect(asked.filter((line) => !isAllowedAtStart(line))).toEqual([]);
  expect(asked.filter((line) => line.startsWith("create events"))).toEqual([]);
  expect(repository.commits()).toBe(commits);
  expect(git.commands().filter((command) => !readCommands.includes(command))).toEqual([]);
});

/** Wait for two further renewals of the Lease: late writes would occur in this time. */
async function untilRenewed(user: OperatorUser): Promise<void> {
  const since = new Date();
  const isRenewal = (event: AuditEvent): boolean => lineOf(event).startsWith("update leases ");
  await eventually(async () => (await user.requests(since)).filter(isRenewal).length >= 2, {
    what: "the Lease is renewed twice",
  });
}

/** Nothing was written for two seconds. */
async function untilQuiet(user: OperatorUser): Promise<void> {
  await eventually(
    async () => {
      const writes = (await user.requests()).filter(isWrite);
      const last = Math.max(...writes.map(timeOf));
      return Date.now() - last > 2_000;
    },
    { what: "there are no more writes" },
  );
}

const readCommands = ["ls-remote", "ls-tree", "cat-file", "rev-parse", "version", "config"];

function isAllowedAtStart(line: string): boolean {
  return /^(get \/api|get namespaces kube-system 200|list |watch |(get|create|update) leases |create events )/.test(
    line,
  );
}

function expectFill(requests: readonly AuditEvent[]): void {
  const lines = requests.map(lineOf);
  const applies = requests.filter(({ objectRef }) => objectRef?.resource === "configmaps");
  const statuses = requests.filter(({ objectRef }) => objectRef?.subresource === "status");
  expect(applies.length, lines.join("\n")).toBe(3);
  expect(applies.every(({ verb }) => verb === "patch")).toBe(true);
  expect(statuses.length, lines.join("\n")).toBeOneOf([1, 2]);
  expect(requests.length, lines.join("\n")).toBe(3 + statuses.length);
  if (statuses.length === 2)
    expect(timeOf(statuses[0]) - Math.max(...applies.map(timeOf))).toBeGreaterThan(900);
}

function timeOf(event: AuditEvent | undefined): number {
  return Date.parse(event?.requestReceivedTimestamp ?? "");
}
