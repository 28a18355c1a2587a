import { expect, test } from "vitest";
import { FakeGitRemote } from "../../fakes/git-remote.ts";
import { OperatorWriter, PersonWriter, type Writer } from "./writers.ts";

const operators = ["east", "west", "north", "south", "centre"];
const people = ["ada", "barbara", "edsger", "grace", "leslie"];
const writes = [1, 2];

test("ten concurrent writers to one branch all succeed, without a forced push", {
  timeout: 180_000,
}, async () => {
  // Given a branch that allows forced pushes, five operators and five users
  using remote = new FakeGitRemote();
  const first = remote.commitByOthers({ "README.md": "one for all\n" });
  await using stack = new AsyncDisposableStack();
  const ours = operators.map((name) => stack.use(new OperatorWriter(remote, name)));
  const theirs = await Promise.all(people.map((name) => PersonWriter.join(remote, name)));
  const all: readonly Writer[] = [...ours, ...theirs];

  // When all write concurrently, one change after the other
  await Promise.all(
    all.map(async (writer) => {
      for (const count of writes) await writer.write(count);
    }),
  );

  // Then the branch has all changes, in a linear history, without removed commits
  for (const writer of all)
    for (const count of writes) {
      const { path, text } = writer.fileOf(count);
      expect(remote.read(path), `${writer.name} ${count}`).toBe(text);
    }
  expect(remote.git(["rev-list", "--merges", "main"])).toBe("");
  expect(remote.git(["rev-list", "--max-parents=0", "main"]).trim()).toBe(first);
  const subjects = remote.git(["log", "--format=%s", "main"]).trim().split("\n");
  const expected = theirs.flatMap(({ name }) => writes.map((count) => `${name} ${count}`));
  expect(subjects.filter((subject) => !/^(Apply|By hand)/.test(subject)).toSorted()).toEqual(
    expected.toSorted(),
  );
  for (const { publisher, log } of ours) {
    expect(publisher.stats).toMatchObject({ refused: 0, rebuilds: 0, failing: undefined });
    expect(log.entries.filter(({ level }) => level !== "debug")).toEqual([]);
  }
  // There were conflicts.
  const lost = [...ours.map(({ publisher }) => publisher.stats.retried), ...theirs.map(({ late }) => late)];
  expect(lost.reduce((sum, count) => sum + count)).toBeGreaterThan(0);
});
