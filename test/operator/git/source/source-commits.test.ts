import { expect, test } from "vitest";
import { FakeGitRemote } from "../../../fakes/git-remote.ts";
import { SourcesHarness } from "./sources-harness.ts";

test("a commit that the clone has causes no request to the remote", async () => {
  using remote = new FakeGitRemote();
  remote.commitByOthers({ "a/x": "1" });
  await using it = new SourcesHarness(remote);
  await it.ready("ns/pipeline");
  const second = remote.commitByOthers({ "a/x": "2" });
  await it.ready("ns/pipeline", {}, ({ head }) => head.id === second);
  const asked = { ...it.sources.stats };
  it.told.length = 0;

  const pinned = { path: "a", revision: second, intervalMs: 86_400_000 };
  const revision = await it.ready("ns/dev", pinned);
  expect(revision).toMatchObject({ head: { id: second }, changed: { id: second } });
  expect(it.told).toEqual(["ns/dev"]);
  const { polls, fetches } = asked;
  expect(it.sources.stats).toMatchObject({ polls, fetches });
});

test("a commit that the clone does not have is requested", async () => {
  using remote = new FakeGitRemote();
  const first = remote.commitByOthers({ "a/x": "1" });
  await using it = new SourcesHarness(remote);
  await it.ready("ns/pipeline");
  const aside = remote.commitOn(first, { "a/x": "aside" }, "Aside");
  remote.git(["update-ref", "refs/heads/aside", aside]);
  const { fetches } = it.sources.stats;

  const revision = await it.ready("ns/dev", { path: "a", revision: aside, intervalMs: 86_400_000 });
  expect(revision.head.id).toBe(aside);
  expect(it.sources.stats.fetches).toBe(fetches + 1);
});

test("a later resource does not change which commit changed the folders of the others", async () => {
  using remote = new FakeGitRemote();
  const names = Array.from({ length: 150 }, (_, index) => `p${index}`);
  remote.commitByOthers(Object.fromEntries(names.map((name) => [`${name}/x`, "1"])));
  // The clone begins with this one, which stands for what is older.
  const first = remote.commitByOthers({ "README.md": "Read me." });
  await using it = new SourcesHarness(remote);
  const ask = () => names.map((name) => it.ask(`ns/${name}`, { path: name }));
  ask();
  await it.until(() => ask().every(({ state }) => state === "ready"));
  await it.ready("ns/later", { path: "p7" });
  it.told.length = 0;

  remote.commitByOthers({ "p3/x": "2" });
  await it.until(() => it.told.length > 0);
  expect(it.told).toEqual(["ns/p3"]);
  expect((await it.ready("ns/p100", { path: "p100" })).changed.id).toBe(first);
});
