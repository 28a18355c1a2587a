import { expect, test } from "vitest";
import { FakeGitRemote } from "../../../fakes/git-remote.ts";
import { SourcesHarness } from "./sources-harness.ts";

test("a commit that reverts another one of the same push counts as a change of the folder", async () => {
  using remote = new FakeGitRemote();
  const first = remote.commitByOthers({ "a/x": "1", "b/x": "1" });
  await using it = new SourcesHarness(remote);
  const before = await it.ready("a", { path: "a" });
  await it.ready("b", { path: "b" });
  it.told.length = 0;

  const bad = remote.commitOn(first, { "a/x": "2" });
  const back = remote.commitOn(bad, { "a/x": "1" });
  remote.resetTo(back);

  const after = await it.ready("a", { path: "a" }, ({ head }) => head.id === back);
  expect(after.tree).toBe(before.tree);
  expect(after.changed.id).toBe(back);
  expect((await it.ready("b", { path: "b" })).changed.id).toBe(first);
  expect(it.told).toEqual(["a"]);
});

test("a folder with other content is reported before one whose content is the same again", async () => {
  using remote = new FakeGitRemote();
  const first = remote.commitByOthers({ "a/x": "1", "b/x": "1" });
  const told: (readonly string[])[] = [];
  await using it = new SourcesHarness(remote, { onChange: (keys) => void told.push(keys) });
  await it.ready("a", { path: "a" });
  await it.ready("b", { path: "b" });
  told.length = 0;

  const bad = remote.commitOn(first, { "a/x": "2", "b/x": "2" });
  const back = remote.commitOn(bad, { "a/x": "1" });
  remote.resetTo(back);

  await it.ready("a", { path: "a" }, ({ head }) => head.id === back);
  expect(told).toEqual([["b"], ["a"]]);
});

test("after a rewrite of the branch an unchanged folder keeps its revision", async () => {
  using remote = new FakeGitRemote();
  const root = remote.commitByOthers({ "a/x": "1", "b/x": "1" });
  const second = remote.commitByOthers({ "a/x": "2" });
  await using it = new SourcesHarness(remote);
  await it.ready("a", { path: "a" });

  // The same files, and other commits.
  const rewritten = remote.commitOn(root, { "a/x": "2" }, "Reworded");
  const head = remote.commitOn(rewritten, { "b/x": "2" });
  remote.resetTo(head);

  const after = await it.ready("a", { path: "a" }, (revision) => revision.head.id === head);
  expect(after.changed.id).toBe(second);
});

test("reports whether the history of the clone reaches back to the change", async () => {
  using remote = new FakeGitRemote();
  remote.commitByOthers({ "a/x": "1" });
  const head = remote.commitByOthers({ "b/x": "1" });
  await using it = new SourcesHarness(remote);
  expect(await it.ready("a", { path: "a" })).toMatchObject({ changed: { id: head }, isAssumed: true });

  const next = remote.commitByOthers({ "a/x": "2" });
  expect(await it.ready("a", { path: "a" }, ({ changed }) => changed.id === next)).toMatchObject({
    isAssumed: false,
  });
});

test("a request is handled even if the source is unavailable", async () => {
  using remote = new FakeGitRemote();
  remote.commitByOthers({ "a/x": "1" });
  await using it = new SourcesHarness(remote);
  const state = await it.answer("a", { path: "missing", requestedAt: "one" });
  expect(state).toMatchObject({
    state: "failed",
    failure: { reason: "SourceNotFound" },
    handledRequest: "one",
  });
  await it.answer(
    "a",
    { path: "missing", requestedAt: "two" },
    (now) => now.state === "failed" && now.handledRequest === "two",
  );
  expect(it.told).toEqual(["a", "a"]);
});

test("a restored folder is available at once after a notification of the push", async () => {
  using remote = new FakeGitRemote();
  const first = remote.commitByOthers({ "a/x": "1", "b/x": "1" });
  await using it = new SourcesHarness(remote);
  const options = { path: "a", intervalMs: 3_600_000 };
  const { url } = it.request("a", options).source;
  await it.ready("a", options);
  const refreshed = async (commit: string): Promise<void> => {
    remote.resetTo(commit);
    it.sources.refresh({ url });
  };
  const without = remote.commitOn(first, { "a/x": undefined });
  await refreshed(without);
  await it.answer("a", options, (state) => state.state === "ready" && state.stale !== undefined);
  const sinceMs = it.clock.now();
  await refreshed(remote.commitOn(without, { "a/x": "1" }));
  await it.answer("a", options, (state) => state.state === "ready" && state.stale === undefined);
  expect(it.clock.now() - sinceMs).toBeLessThan(30_000);
});
