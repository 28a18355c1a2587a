import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { AuditEvent } from "./audit-log.ts";
import { eventually, kubectlJson } from "./fixture.ts";
import { aGitWitness } from "./git-witness.ts";
import { isWrite, lineOf } from "./operator-user.ts";
import { aStampStory, manyNames } from "./stamps.ts";

const resources = 1_000;

test("over 1,000 converged resources a restart writes nothing, and then there is silence", {
  timeout: 300_000,
}, async () => {
  // Given a thousand resources with three objects each
  const story = await aStampStory();
  await story.apply(manyNames(resources), { text: "one" });
  const first = await story.start(["--leader-elect"]);
  await story.untilSettled(resources, 120_000);
  await first.stop();

  // Then filling took 3 applies and 1 status write each, another one where the commit took over a second, no reads
  const fill = Map.groupBy(
    (await story.user.requests()).filter(({ objectRef = {} }) =>
      /^stamps|^configmaps/.test(objectRef.resource ?? ""),
    ),
    ({ objectRef: { name = "" } = {} }) => (name.match(/stamp-\d+/) ?? [""])[0],
  );
  for (const [name, requests] of fill) if (name !== "") expectFill(requests);
  expect(fill.size - Number(fill.has(""))).toBe(resources);

  // When the operator starts again
  const commits = story.repository.commits();
  const git = await aGitWitness();
  const restarted = new Date();
  const second = await story.start(["--leader-elect", "--log-level=debug"], {
    environment: git.environment,
  });
  await second.untilLogged("Became leader");
  await eventually(() => git.commands().includes("ls-remote"), { what: "the remote is looked at" });
  await sleep(8_000);

  // Then it asked for nothing but what is there, and changed nothing
  const asked = await story.user.requests(restarted);
  expect(asked.map(lineOf).filter((line) => !isAllowedAtStart(line))).toEqual([]);
  expect(
    asked
      .filter(isWrite)
      .map(lineOf)
      .filter((line) => !/ leases /.test(line)).length,
  ).toBeLessThanOrEqual(1);
  expect(story.repository.commits()).toBe(commits);
  expect(git.commands().filter((command) => !looks.includes(command))).toEqual([]);

  // And in the steady state there is nothing but the Lease and one look at the remote a minute
  const quiet = new Date();
  const before = git.commands().length;
  await sleep(75_000);
  const later = (await story.user.requests(quiet)).map(lineOf);
  expect(later.filter((line) => !/^(update leases|watch )/.test(line))).toEqual([]);
  expect(later.length).toBeGreaterThan(25);
  expect(git.commands().slice(before)).toEqual(["ls-remote"]);

  // Nor did anybody hear of it
  const events = await kubectlJson<{ items: readonly { regarding: { kind: string } }[] }>([
    "get",
    "events.events.k8s.io",
    "-n",
    story.namespace,
  ]);
  expect(events.items.filter(({ regarding }) => regarding.kind === "Stamp")).toEqual([]);
});

const looks = ["ls-remote", "ls-tree", "cat-file", "rev-parse", "version", "config"];

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
