import { mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { SourceState } from "../../../../operator/git/source/ports.ts";
import { FakeGitRemote } from "../../../fakes/git-remote.ts";
import { readAll, SourcesHarness } from "./sources-harness.ts";

const isStale = (state: SourceState): boolean => state.state === "ready" && state.stale !== undefined;
const isFresh = (state: SourceState): boolean => state.state === "ready" && state.stale === undefined;

/** The clone of the only remote of a test. */
function cloneIn(remote: FakeGitRemote): string {
  const [name = ""] = readdirSync(join(remote.folder, "cache"));
  return join(remote.folder, "cache", name, "repository.git");
}

test("while the remote is unavailable the last good state stays, and its recovery is reported", async () => {
  using remote = new FakeGitRemote();
  const first = remote.commitByOthers({ x: "1" });
  await using it = new SourcesHarness(remote);
  await it.ready("a");

  remote.vanish();
  const state = await it.answer("a", {}, isStale);
  expect(state).toMatchObject({ revision: { head: { id: first } }, stale: { reason: "SourceNotFound" } });
  if (state.state === "ready") expect(await readAll(state.revision)).toEqual({ x: "1" });

  remote.behave();
  const second = remote.commitByOthers({ x: "2" });
  expect(await it.answer("a", {}, isFresh)).toMatchObject({ revision: { head: { id: second } } });
  expect(it.log.messages("warn")).toEqual(["Cannot poll a source"]);
  expect(it.log.messages("info")).toEqual(["A source responds again"]);
});

test("an outage is reported once, and polled with backoff", async () => {
  using remote = new FakeGitRemote();
  remote.vanish();
  await using it = new SourcesHarness(remote);
  await it.answer("a");
  await it.until(() => it.sources.stats.polls >= 8, { stepMs: 1_000 });
  // At least 2, 4, 8, 16, 32, 60, 60 seconds.
  expect(it.clock.now()).toBeGreaterThan(180_000);
  expect(it.told).toEqual(["a"]);
});

test("after a restart during an outage, the content of the clone is used", async () => {
  using remote = new FakeGitRemote();
  const head = remote.commitByOthers({ "a/x": "1" });
  const before = new SourcesHarness(remote);
  await before.ready("a", { path: "a" });
  await before.sources.close();
  remote.vanish();

  await using it = new SourcesHarness(remote);
  const state = await it.answer("a", { path: "a" });

  expect(state).toMatchObject({
    state: "ready",
    revision: { head: { id: head } },
    stale: { reason: "SourceNotFound" },
  });
  if (state.state === "ready") expect(await readAll(state.revision)).toEqual({ x: "1" });
});

test("after a restart nothing is fetched that the clone has", async () => {
  using remote = new FakeGitRemote();
  remote.commitByOthers({ x: "1" });
  const before = new SourcesHarness(remote);
  await before.ready("a");
  const changed = remote.commitByOthers({ x: "2" });
  await before.ready("a", {}, ({ head }) => head.id === changed);
  const later = remote.commitByOthers({ "b/y": "2" });
  await before.ready("b", { path: "b" });
  await before.ready("a", {}, ({ head }) => head.id === later);
  await before.sources.close();

  await using it = new SourcesHarness(remote);
  expect((await it.ready("b", { path: "b" })).changed.id).toBe(later);
  expect(it.sources.stats).toMatchObject({ polls: 1, fetches: 0, rebuilds: 0 });
});

test("a deleted branch keeps the last good state", async () => {
  using remote = new FakeGitRemote();
  const first = remote.commitByOthers({ x: "1" });
  remote.git(["branch", "other", first]);
  await using it = new SourcesHarness(remote);
  await it.ready("a");
  remote.git(["branch", "-D", "main"]);
  expect(await it.answer("a", {}, isStale)).toMatchObject({
    revision: { head: { id: first } },
    stale: {
      reason: "SourceNotFound",
      message: expect.stringMatching(/branch "main"; existing names: "other"/),
    },
  });
});

test("a rewritten history is used in its current state", async () => {
  using remote = new FakeGitRemote();
  const base = remote.commitByOthers({ x: "1" });
  remote.commitByOthers({ x: "2" });
  await using it = new SourcesHarness(remote);
  await it.ready("a");
  // Another child of the same commit, then an unrelated commit.
  const forced = remote.commitOn(base, { x: "3" });
  remote.resetTo(forced);
  expect(await readAll(await it.ready("a", {}, ({ head }) => head.id === forced))).toEqual({ x: "3" });
  const unrelated = remote.commitByOthers({ x: "4" }, { branch: "unrelated" });
  remote.resetTo(unrelated);
  expect(await readAll(await it.ready("a", {}, ({ head }) => head.id === unrelated))).toEqual({ x: "4" });
  expect(it.sources.stats.rebuilds).toBe(0);
});

test("a clone that lost its objects is recreated, and readers wait for it", async () => {
  using remote = new FakeGitRemote();
  remote.commitByOthers({ x: "1" });
  await using it = new SourcesHarness(remote);
  const revision = await it.ready("a");
  rmSync(join(cloneIn(remote), "objects", "pack"), { recursive: true });
  // The reading process still has the lost files open.
  await it.clock.advance(30_000);

  await expect(revision.files.list()).rejects.toMatchObject({ reason: "SourceUnreachable" });
  await it.until(() => it.sources.stats.rebuilds === 1);
  await it.untilNextPoll();
  expect(await readAll(await it.ready("a"))).toEqual({ x: "1" });
});

test.for([
  { damage: "gone", harm: (pack: string) => rmSync(pack) },
  { damage: "cut off", harm: (pack: string) => truncateSync(pack, 40) },
])("a file that is missing because a pack is $damage is not reported as too large", async ({ harm }) => {
  using remote = new FakeGitRemote();
  remote.git(["config", "uploadpack.allowFilter", "true"]);
  remote.commitByOthers({ "a/x": "1", "b/y": "1" });
  await using it = new SourcesHarness(remote);
  await it.ready("a", { path: "a" });
  const packs = join(cloneIn(remote), "objects", "pack");
  const first = readdirSync(packs).find((name) => name.endsWith(".pack")) ?? "";
  // The second pack contains the folder again, and only its new file.
  const head = remote.commitByOthers({ "a/z": "2" });
  const revision = await it.ready("a", { path: "a" }, (now) => now.head.id === head);
  harm(join(packs, first));
  await it.clock.advance(30_000);

  const rejected = await revision.files.list().catch((error: unknown) => error);
  expect(rejected).toMatchObject({ reason: "SourceUnreachable" });
  await it.until(() => it.sources.stats.rebuilds === 1);
  expect(await readAll(await it.ready("a", { path: "a" }))).toEqual({ x: "1", z: "2" });
});

test("a cache that is deleted while it is used is recreated", async () => {
  using remote = new FakeGitRemote();
  remote.commitByOthers({ x: "1" });
  await using it = new SourcesHarness(remote);
  const revision = await it.ready("a");
  rmSync(join(remote.folder, "cache"), { recursive: true });
  await it.clock.advance(30_000);
  const second = remote.commitByOthers({ x: "2" });
  const next = await it.ready("a", {}, ({ head }) => head.id === second);
  expect(await readAll(next)).toEqual({ x: "2" });
  // No clone has the former commit any more: requests for it do not recreate the clone repeatedly.
  const { rebuilds } = it.sources.stats;
  for (let round = 0; round < 3; round++)
    await expect(revision.files.list()).rejects.toMatchObject({ reason: "SourceUnreachable" });
  await it.clock.advance(30_000);
  await it.ready("a");
  expect(it.sources.stats.rebuilds).toBe(rebuilds);
});

test("locks that a killed command left do not block others", async () => {
  using remote = new FakeGitRemote();
  remote.commitByOthers({ x: "1" });
  const before = new SourcesHarness(remote);
  await before.ready("a");
  await before.sources.close();
  const refs = join(cloneIn(remote), "refs", "fairlead");
  for (const ref of readdirSync(refs)) writeFileSync(join(refs, `${ref}.lock`), "");
  for (const lock of ["shallow.lock", "packed-refs.lock"]) writeFileSync(join(cloneIn(remote), lock), "");
  const second = remote.commitByOthers({ x: "2" });

  await using it = new SourcesHarness(remote);
  expect((await it.ready("a")).head.id).toBe(second);
  expect(it.sources.stats.rebuilds).toBe(0);
});

test("credentials that a killed operator left are removed first", async () => {
  using remote = new FakeGitRemote();
  remote.commitByOthers({ x: "1" });
  const before = new SourcesHarness(remote);
  await before.ready("a");
  await before.sources.close();
  for (const name of ["credentials", "verify-abc"]) {
    mkdirSync(join(cloneIn(remote), "..", name));
    writeFileSync(join(cloneIn(remote), "..", name, "identity"), "KEY");
  }
  await using it = new SourcesHarness(remote);
  await it.ready("a");
  expect(readdirSync(join(cloneIn(remote), "..")).toSorted()).toEqual(["lock", "repository.git"]);
});

test("two operators that need the same clone have one each", async () => {
  using remote = new FakeGitRemote();
  const head = remote.commitByOthers({ x: "1" });
  await using one = new SourcesHarness(remote);
  await using two = new SourcesHarness(remote);
  const revisions = await Promise.all([one.ready("a"), two.ready("a")]);
  expect(revisions.map((revision) => revision.head.id)).toEqual([head, head]);
});

test("an unused clone is deleted from the disk after a while", async () => {
  using remote = new FakeGitRemote();
  remote.commitByOthers({ x: "1" });
  await using it = new SourcesHarness(remote);
  await it.ready("a");
  it.sources.forget("a");
  await it.clock.advance(700_000);
  await it.until(() => readdirSync(join(remote.folder, "cache")).length === 0);
  expect(await readAll(await it.ready("a"))).toEqual({ x: "1" });
});
