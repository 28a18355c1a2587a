import { expect, test } from "vitest";
import { FakeGitRemote } from "../../../fakes/git-remote.ts";
import { readAll, SourcesHarness } from "./sources-harness.ts";

test("finds a folder of a branch, with its commit and its files", async () => {
  using remote = new FakeGitRemote();
  remote.commitByOthers({ "apps/web/a.yaml": "a: 1\n", "apps/web/sub/b.json": "{}", "other.txt": "x" });
  const head = remote.commitByOthers({ "apps/web/a.yaml": "a: 2\n" }, { message: "Raise a\n\nBecause." });
  await using it = new SourcesHarness(remote);

  const revision = await it.ready("shop/web", { path: "./apps//web/" });

  expect(revision.head).toEqual({
    id: head,
    author: "Somebody",
    subject: "Raise a",
    committedAt: "2023-11-14T22:13:20Z",
  });
  expect(revision.tree).toBe(remote.git(["rev-parse", "main:apps/web"]).trim());
  expect(await readAll(revision)).toEqual({ "a.yaml": "a: 2\n", "sub/b.json": "{}" });
  expect(await revision.files.list()).toMatchObject({
    files: [
      { path: "a.yaml", size: 5 },
      { path: "sub/b.json", size: 2 },
    ],
    refused: [],
  });
  expect(it.told).toEqual(["shop/web"]);
});

test("notifies the Releases whose folder a push changed, and no others", async () => {
  using remote = new FakeGitRemote();
  const first = remote.commitByOthers({ "a/x": "1", "b/x": "1" });
  await using it = new SourcesHarness(remote);
  await it.ready("ns/a", { path: "a" });
  const before = await it.ready("ns/b", { path: "b" });
  it.told.length = 0;

  const head = remote.commitByOthers({ "a/x": "2" });
  await it.until(() => it.told.length > 0);

  const [a, b] = [await it.ready("ns/a", { path: "a" }), await it.ready("ns/b", { path: "b" })];
  expect(it.told).toEqual(["ns/a"]);
  expect(a.changed.id).toBe(head);
  expect(await readAll(a)).toEqual({ x: "2" });
  // The other one may have learned of the new head, and still has the commit that it knew.
  expect(b.head.id).toBe(head);
  expect(b.changed.id).toBe(first);
  expect(b.tree).toBe(before.tree);
});

test("of several commits in one push, each folder gets the one that changed it", async () => {
  using remote = new FakeGitRemote();
  remote.commitByOthers({ "a/x": "1", "b/x": "1", "c/x": "1" });
  await using it = new SourcesHarness(remote);
  const keys = ["a", "b", "c"];
  for (const key of keys) await it.ready(key, { path: key });

  // The push is atomic: the branch moves after all commits are created.
  let parent = remote.head() ?? "";
  const made: Record<string, string> = {};
  for (const key of ["c", "a", "b"]) {
    parent = remote.commitOn(parent, { [`${key}/x`]: "2" }, key);
    made[key] = parent;
  }
  remote.resetTo(parent);

  for (const key of keys) {
    const revision = await it.ready(key, { path: key }, ({ head }) => head.id === parent);
    expect(revision.changed.id).toBe(made[key]);
  }
});

test("a thousand Releases of one repository cause one poll and one fetch, and a push one more of each", async () => {
  using remote = new FakeGitRemote();
  const names = Array.from({ length: 1_000 }, (_, index) => `set-${index}`);
  remote.commitByOthers(Object.fromEntries(names.map((name) => [`sets/${name}/x.yaml`, `name: ${name}\n`])));
  await using it = new SourcesHarness(remote);
  const ask = () => names.map((name) => it.ask(name, { path: `sets/${name}`, intervalMs: 3_600_000 }));

  ask();
  await it.until(() => ask().every(({ state }) => state === "ready"));
  expect(it.sources.stats).toMatchObject({ polls: 1, fetches: 1, notified: 1_000 });

  remote.commitByOthers({ "sets/set-7/x.yaml": "name: other\n" });
  await it.until(() => it.told.length > 1_000);
  expect(it.told.slice(1_000)).toEqual(["set-7"]);
  expect(it.sources.stats).toMatchObject({ polls: 2, fetches: 2, notified: 1_001 });
});

test("polls before it reports a missing folder of a repository that another Release uses", async () => {
  // Given a Release, and a push of another folder that no poll has found
  using remote = new FakeGitRemote();
  remote.commitByOthers({ "a/x": "1" });
  await using it = new SourcesHarness(remote);
  await it.ready("a", { path: "a", intervalMs: 3_600_000 });
  const { polls } = it.sources.stats;
  remote.commitByOthers({ "b/x": "1" });

  // When Releases request that folder, and one that does not exist, then the first answers are about the new commit
  const asked = { intervalMs: 3_600_000 };
  const [found, missing] = await Promise.all([
    it.answer("b", { path: "b", ...asked }),
    it.answer("c", { path: "c", ...asked }),
  ]);
  expect(found).toMatchObject({ state: "ready" });
  expect(missing).toMatchObject({ state: "failed", failure: { reason: "SourceNotFound" } });
  expect(it.sources.stats.polls).toBeGreaterThan(polls);
});

test("reads a repository on this machine right after a push, for any interval", async () => {
  using remote = new FakeGitRemote();
  remote.commitByOthers({ x: "1" });
  await using it = new SourcesHarness(remote);
  await it.ready("a", { intervalMs: 3_600_000 });

  const head = remote.commitByOthers({ x: "2" });
  const pushedMs = it.clock.now();
  await it.ready("a", { intervalMs: 3_600_000 }, (revision) => revision.head.id === head);

  expect(it.clock.now() - pushedMs).toBeLessThan(60_000);
});

test("the shortest interval applies, and nothing is polled without a request", async () => {
  using remote = new FakeGitRemote();
  remote.commitByOthers({ x: "1" });
  await using it = new SourcesHarness(remote);
  await it.ready("slow", { intervalMs: 3_600_000 });
  await it.ready("quick", { intervalMs: 10_000 });
  // The next poll is due; the timers of git itself are shorter, and those of its idle processes longer.
  const isNextPoll = (delayMs: number): boolean => delayMs > 1_000 && delayMs <= 10_000;
  await it.until(() => it.clock.pendingDelaysMs.some(isNextPoll));
  const { polls } = it.sources.stats;

  // The fake clock does not advance while git runs.
  await it.clock.advance(10_000);
  await it.until(() => it.sources.stats.polls > polls, { stepMs: 0 });

  it.sources.forget("slow");
  it.sources.forget("quick");
  await it.clock.advance(500_000);
  expect(it.sources.stats.polls).toBe(polls + 1);
});

test("a burst of requests causes one poll, and one more for requests during it", async () => {
  using remote = new FakeGitRemote();
  remote.commitByOthers({ x: "1" });
  await using it = new SourcesHarness(remote);
  const options = { intervalMs: 3_600_000 };
  await it.ready("a", options);
  const { url } = it.request("a", options).source;

  const burst = (): void => {
    for (let index = 0; index < 1_000; index++) it.sources.refresh(index % 2 === 0 ? { url } : { key: "a" });
  };
  burst();
  await it.until(() => it.sources.stats.polls === 2, { stepMs: 1 });
  burst();
  await it.until(() => it.sources.stats.polls >= 3);
  await it.clock.advance(1_000);

  expect(it.sources.stats).toMatchObject({ polls: 3, fetches: 1 });
});

test("a new value of requestedAt causes a poll, and is reported afterwards", async () => {
  using remote = new FakeGitRemote();
  remote.commitByOthers({ x: "1" });
  await using it = new SourcesHarness(remote);
  const options = { intervalMs: 3_600_000, requestedAt: "one" };
  const state = await it.answer("a", options);
  expect(state).toMatchObject({ state: "ready", handledRequest: "one" });
  const { polls } = it.sources.stats;

  const next = { ...options, requestedAt: "two" };
  expect(it.ask("a", next)).toMatchObject({ handledRequest: "one" });
  await it.answer("a", next, (now) => now.state === "ready" && now.handledRequest === "two");

  expect(it.sources.stats.polls).toBe(polls + 1);
  expect(it.told).toEqual(["a", "a"]);
});

test("finds the newest commit that changed one of some files", async () => {
  using remote = new FakeGitRemote();
  remote.commitByOthers({ "app/main.ts": "1", "app/lib/a.ts": "1", "app/README.md": "1" });
  await using it = new SourcesHarness(remote);
  await it.ready("a", { path: "app" });
  const library = remote.commitByOthers({ "app/lib/a.ts": "2" });
  await it.ready("a", { path: "app" }, ({ head }) => head.id === library);
  const readme = remote.commitByOthers({ "app/README.md": "2" });
  const revision = await it.ready("a", { path: "app" }, ({ head }) => head.id === readme);

  expect((await revision.lastChangeOf(["main.ts", "lib/a.ts"])).id).toBe(library);
  expect((await revision.lastChangeOf(["README.md"])).id).toBe(readme);
  expect(revision.changed.id).toBe(readme);
});

test("supports a repository with SHA-256 object ids", async () => {
  using remote = new FakeGitRemote({ format: "sha256" });
  const head = remote.commitByOthers({ "a/x": "1" });
  await using it = new SourcesHarness(remote);
  const revision = await it.ready("a", { path: "a" });
  expect(revision.head.id).toBe(head);
  expect(await readAll(revision)).toEqual({ x: "1" });
});

test("the length of a commit id determines the object hash, and an impossible id has no effect", async () => {
  using remote = new FakeGitRemote({ format: "sha256" });
  const commit = remote.commitByOthers({ "a/x": "1" });
  await using it = new SourcesHarness(remote);
  expect(await readAll(await it.ready("a", { revision: commit, path: "a" }))).toEqual({ x: "1" });
  expect(await it.answer("b", { revision: commit.slice(0, 40) })).toMatchObject({
    failure: { reason: "SourceNotFound" },
  });
  await it.ready("c", {}, ({ head }) => head.id === commit);
  expect(it.sources.stats.rebuilds).toBe(0);
});
