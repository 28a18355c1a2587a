import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { eventually } from "./fixture.ts";
import { conditionOf, hasCondition, type SeenResource } from "./harness.ts";
import { aStampHarness, manyNames, type StampHarness } from "./stamps.ts";

const names = manyNames(20);

/** Twenty Stamps, converged and published. */
async function aPublishedHarness(): Promise<StampHarness> {
  const harness = await aStampHarness();
  await harness.apply(names, { text: "one" });
  await harness.start();
  await harness.untilSettled(names.length);
  return harness;
}

/** Still Ready, with a condition that describes why it is not published. */
function isReadyButUnpublished(reason: string, message: RegExp): (resource: SeenResource) => boolean {
  return (resource) => {
    const published = conditionOf(resource, "Published");
    return (
      hasCondition(resource) &&
      published?.status === "False" &&
      published.reason === reason &&
      message.test(published.message)
    );
  };
}

/** The cluster has the newest text everywhere, and no resource became unready. */
async function expectCluster(harness: StampHarness, text: string): Promise<void> {
  await eventually(
    async () => {
      const children = await harness.children();
      expect(children.map((child) => (child["data"] as { text: string }).text)).toEqual(
        Array.from({ length: 3 * names.length }, () => text),
      );
      return true;
    },
    { what: `all children have the text "${text}"` },
  );
}

function expectBranch({ repository, namespace }: StampHarness, text: string): void {
  const files = repository.files(`${namespace}/`);
  expect(files).toHaveLength(3 * names.length);
  for (const file of files) expect(repository.read(file), file).toContain(`text: ${text}`);
}

/** Every one of these heads is an ancestor of the branch's head, and nothing was ever merged: no force, no text merge. */
function expectLinear({ repository: { remote } }: StampHarness, heads: readonly string[]): void {
  const ancestors = new Set(remote.git(["rev-list", "--first-parent", "main"]).trim().split("\n"));
  expect(heads.filter((head) => !ancestors.has(head))).toEqual([]);
  expect(remote.git(["rev-list", "--merges", "main"])).toBe("");
}

describe("a repository", () => {
  const faults = [
    {
      fault: "cannot be reached",
      breakIt: ({ repository: { remote } }: StampHarness) => remote.vanish(),
      // Every attempt polls first, and then commits everything that is pending.
      triesAgain: async () => {},
      reason: "RepositoryUnreachable",
      says: /repository/i,
    },
    {
      fault: "refuses pushes",
      breakIt: ({ repository: { remote } }: StampHarness) => remote.refusePushes("The branch is frozen"),
      // The first may have started before the last edits.
      triesAgain: async ({ repository: { remote } }: StampHarness) => {
        const before = remote.refusals;
        await eventually(() => remote.refusals >= before + 2, { what: "two more pushes are refused" });
      },
      reason: "PushRefused",
      says: /The branch is frozen/,
    },
  ];

  test.for(faults)(
    "that $fault does not block reconciles, and receives all files in one commit after it recovers",
    async (fault) => {
      const harness = await aPublishedHarness();
      const { repository } = harness;
      const head = repository.remote.head() ?? "";
      const commits = repository.commits();

      // When it fails, and two edits are made of each resource
      fault.breakIt(harness);
      await harness.apply(names, { text: "two" });
      await harness.until(`all say ${fault.reason}`, (stamps) =>
        stamps.every(isReadyButUnpublished(fault.reason, fault.says)),
      );
      await expectCluster(harness, "two");
      await harness.apply(names, { text: "three" });
      await expectCluster(harness, "three");
      await harness.until("they still report it", (stamps) =>
        stamps.every(isReadyButUnpublished(fault.reason, fault.says)),
      );

      await fault.triesAgain(harness);

      // When it recovers, then everything is pushed at once
      repository.remote.behave();
      await harness.untilSettled(names.length);
      expectBranch(harness, "three");
      expect(repository.commits()).toBe(commits + 1);
      expectLinear(harness, [head]);
    },
  );

  test("to which another writer pushes continuously receives all commits of both", async () => {
    const harness = await aPublishedHarness();
    const { repository } = harness;
    const theirs: string[] = [];

    // When another user pushes several times a second, while all resources are edited again and again
    const pushing = new AbortController();
    const pushed = (async () => {
      while (!pushing.signal.aborted) {
        const number = theirs.length;
        try {
          theirs.push(repository.remote.commitByOthers({ [`theirs/${number}.txt`]: `${number}\n` }));
        } catch {
          // The operator pushed first: the other's push is rejected too, and repeated.
        }
        await sleep(250);
      }
    })();
    for (const text of ["two", "three", "four", "five"]) {
      await harness.apply(names, { text });
      await expectCluster(harness, text);
      const before = theirs.length;
      await eventually(() => theirs.length >= before + 3, { what: "they have pushed three times more" });
    }
    pushing.abort();
    await pushed;

    // Then the branch has all of the other's commits and the newest of the operator, and no duplicates
    await harness.untilSettled(names.length);
    expectBranch(harness, "five");
    expect(theirs.length).toBeGreaterThan(10);
    expect(repository.files("theirs/")).toHaveLength(theirs.length);
    expectLinear(harness, theirs);
    const ours = repository.log().filter(({ message }) => /Fairlead-/.test(message));
    const changes = ours.flatMap(({ paths }) => paths.filter((path) => path.endsWith("-0.yaml")));
    expect(ours.every(({ paths }) => paths.every((path) => !path.startsWith("theirs/")))).toBe(true);
    // One text each: the first, the last, and none between them twice.
    expect(changes.length).toBeGreaterThanOrEqual(2 * names.length);
    expect(changes.length).toBeLessThanOrEqual(5 * names.length);
  });
});
