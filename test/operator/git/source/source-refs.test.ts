import { describe, expect, test } from "vitest";
import { FakeGitRemote } from "../../../fakes/git-remote.ts";
import { readAll, SourcesHarness } from "./sources-harness.ts";

const someone = ["-c", "user.name=Somebody", "-c", "user.email=s@example.dev"];

describe("a source", () => {
  test("follows a tag, also an annotated one, and one that is moved", async () => {
    using remote = new FakeGitRemote();
    const first = remote.commitByOthers({ x: "1" });
    remote.git([...someone, "tag", "-a", "-m", "One", "v1", first]);
    const second = remote.commitByOthers({ x: "2" });
    await using it = new SourcesHarness(remote);

    const options = { ref: { tag: "v1" } };
    expect((await it.ready("a", options)).head.id).toBe(first);

    remote.git([...someone, "tag", "-a", "-f", "-m", "Moved", "v1", second]);
    expect((await it.ready("a", options, ({ head }) => head.id === second)).head.id).toBe(second);
  });

  test("follows the highest version in a range", async () => {
    using remote = new FakeGitRemote();
    const tag = (name: string) => {
      const commit = remote.commitByOthers({ x: name });
      remote.git(["tag", name, commit]);
      return commit;
    };
    const one = tag("v1.2.0");
    tag("v2.0.0");
    tag("latest");
    await using it = new SourcesHarness(remote);
    const options = { ref: { semver: ">=1.0.0 <2.0.0" } };
    expect((await it.ready("a", options)).head.id).toBe(one);

    const later = tag("v1.10.0");
    tag("v1.11.0-rc.1");
    expect(await readAll(await it.ready("a", options, ({ head }) => head.id === later))).toEqual({
      x: "v1.10.0",
    });
  });

  test("uses a commit by its id that is not a head, and stays at it", async () => {
    using remote = new FakeGitRemote();
    const old = remote.commitByOthers({ x: "1" });
    const middle = remote.commitByOthers({ x: "2" });
    remote.commitByOthers({ x: "3" });
    await using it = new SourcesHarness(remote);

    expect(await readAll(await it.ready("a", { ref: { commit: old } }))).toEqual({ x: "1" });
    // A pin has precedence over the ref, and needs no request to the remote.
    const { polls } = it.sources.stats;
    expect(await readAll(await it.ready("b", { revision: middle }))).toEqual({ x: "2" });
    expect(it.sources.stats.polls).toBe(polls);
  });

  test("switches between branch and pin, and notifies each time", async () => {
    using remote = new FakeGitRemote();
    const old = remote.commitByOthers({ x: "1" });
    const head = remote.commitByOthers({ x: "2" });
    await using it = new SourcesHarness(remote);
    await it.ready("a");
    const pinned = await it.ready("a", { revision: old });
    expect([pinned.head.id, pinned.changed.id]).toEqual([old, old]);
    const later = remote.commitByOthers({ y: "1" });
    expect((await it.ready("a", {}, (revision) => revision.head.id === later)).changed.id).toBe(later);
    expect(head).not.toBe(later);
  });

  test.for([
    {
      when: "a branch",
      options: { ref: { branch: "mian" } },
      says: /branch "mian"; existing names: "main", "other"/,
    },
    { when: "a tag", options: { ref: { tag: "v2" } }, says: /tag "v2"; existing names: "v1"/ },
    {
      when: "a version",
      options: { ref: { semver: "^3.0.0" } },
      says: /range "\^3\.0\.0"; existing names: "v1"/,
    },
    { when: "a commit", options: { ref: { commit: "1".repeat(40) } }, says: /commit/ },
    {
      when: "a folder",
      options: { path: "apps/wbe" },
      says: /folder "apps\/wbe" .*existing names: "web" below "apps"/,
    },
    { when: "a folder below one", options: { path: "nope/x" }, says: /existing names: "apps"/ },
  ])("reports that $when does not exist, and what does", async ({ options, says }) => {
    using remote = new FakeGitRemote();
    const head = remote.commitByOthers({ "apps/web/x": "1" });
    remote.git(["branch", "other", head]);
    remote.git(["tag", "v1", head]);
    await using it = new SourcesHarness(remote);
    const state = await it.answer("a", options);
    expect(state).toMatchObject({ state: "failed", failure: { reason: "SourceNotFound" } });
    expect(JSON.parse(JSON.stringify(state)).failure.message).toMatch(says);
  });

  test("reports an empty repository, and is ready once it has a commit", async () => {
    using remote = new FakeGitRemote();
    await using it = new SourcesHarness(remote);
    expect(await it.answer("a")).toMatchObject({
      failure: { reason: "SourceNotFound", message: expect.stringMatching(/empty/) },
    });
    const head = remote.commitByOthers({ x: "1" });
    expect((await it.ready("a")).head.id).toBe(head);
  });

  test("fetches two branches if the name of one is a folder in the name of the other", async () => {
    using remote = new FakeGitRemote();
    remote.commitByOthers({ x: "1" }, { branch: "a" });
    await using it = new SourcesHarness(remote);
    await it.ready("one", { ref: { branch: "a" } });
    remote.git(["branch", "-D", "a"]);
    const head = remote.commitByOthers({ x: "2" }, { branch: "a/b" });
    expect((await it.ready("two", { ref: { branch: "a/b" } })).head.id).toBe(head);
  });
});

test("reports a file, a link or a submodule at the path", async () => {
  using remote = new FakeGitRemote();
  const head = remote.commitByOthers({ file: "1" });
  remote.git(
    ["fast-import", "--quiet", "--force"],
    `commit refs/heads/main\ncommitter S <s@example.dev> 1700000000 +0000\ndata 1\nx\nfrom ${head}\n` +
      `M 120000 inline link\ndata 4\nfile\nM 160000 ${"1".repeat(40)} module\n\n`,
  );
  await using it = new SourcesHarness(remote);
  for (const [path, what] of [
    ["file", "a file"],
    ["link", "a symlink"],
    ["module", "a submodule"],
  ] as const) {
    const state = await it.answer(path, { path });
    expect(state).toMatchObject({ state: "failed", failure: { reason: "SourceInvalid" } });
    expect(JSON.stringify(state)).toContain(what);
  }
  expect(await it.answer("through", { path: "link/x" })).toMatchObject({
    failure: { reason: "SourceNotFound" },
  });
});
