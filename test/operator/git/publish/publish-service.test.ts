import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { isKilled } from "../../../../operator/git/git-errors.ts";
import { systemClock } from "../../../../operator/runtime/clock.ts";
import { FakeGitRemote } from "../../../fakes/git-remote.ts";
import { aPublishService, PublishZoneInProcess } from "../../../fakes/publish-zone.ts";
import { RecordingLogger } from "../../../fakes/recording-logger.ts";
import { patienceMs } from "../../../patience.ts";

const message = "m\n";
const empty = { parent: undefined, message, committedAt: new Date(0), folders: [], files: new Map() };

/** A zone for a repository with one commit, and the folder of its clones. */
function aScene(remote: FakeGitRemote) {
  const cache = join(remote.folder, "cache");
  const log = new RecordingLogger();
  const options = {
    repository: remote.path,
    credentialsDirectory: undefined,
    cacheDirectory: cache,
    clock: systemClock(),
    environment: process.env,
  };
  const zone = new PublishZoneInProcess(aPublishService(options, log));
  onTestFinished(() => zone.close());
  const slots = () => readdirSync(cache);
  const locks = () => slots().filter((slot) => readdirSync(join(cache, slot)).includes("lock"));
  return { zone, log, slots, locks };
}

describe("the publish zone", () => {
  test("commits much more than fits into one request, in one commit", async () => {
    using remote = new FakeGitRemote();
    const { zone } = aScene(remote);
    const clone = zone.clone({ branch: "main", root: "" });
    await clone.open();
    const folders = Array.from({ length: 300 }, (_, index) => ({
      path: `shop/echoes.fairlead.dev/e${index}`,
      files: new Map([["x.yaml", `ü${index} `.repeat(4_000)]]),
    }));
    const commit = await clone.writeCommit({ ...empty, folders });
    expect(await clone.push({ commit, parent: undefined })).toBe("pushed");
    expect(remote.commits()).toBe(1);
    const { trees } = await clone.readBranch(commit);
    expect([...trees.keys()].toSorted()).toEqual(folders.map(({ path }) => path).toSorted());
    expect(remote.read("shop/echoes.fairlead.dev/e299/x.yaml")).toBe("ü299 ".repeat(4_000));
  });

  test("has a clone for each branch and root, and none outside of its folder", async () => {
    using remote = new FakeGitRemote();
    const { zone, slots } = aScene(remote);
    const places = [
      { branch: "main", root: "" },
      { branch: "main", root: "../../prod" },
      { branch: "../env", root: "" },
    ];
    for (const place of places) await zone.clone(place).open();
    expect(slots()).toEqual([...new Set(slots())].filter((slot) => /^[0-9a-f]{16}$/.test(slot)));
    expect(slots()).toHaveLength(3);
  });

  test("releases a clone when it is closed, and when its connection is lost", async () => {
    using remote = new FakeGitRemote();
    const { zone, slots, locks } = aScene(remote);
    const clone = zone.clone({ branch: "main", root: "" });
    await clone.open();
    expect(locks()).toHaveLength(1);
    await clone.close();
    expect(locks()).toEqual([]);
    await clone.open();
    const link = await zone.connection.link();
    await zone.die();
    await link.closed;
    await vi.waitUntil(() => locks().length === 0, patienceMs);
    zone.revive();
    await clone.open();
    // It is the same clone again.
    expect(slots()).toHaveLength(1);
    expect(await clone.readHead()).toBeUndefined();
  });

  test("drops an unfinished commit when the connection is lost", async () => {
    using remote = new FakeGitRemote();
    const { zone } = aScene(remote);
    const clone = zone.clone({ branch: "main", root: "" });
    await clone.open();
    const link = await zone.connection.link();
    const begin = { body: { clone: 1, isFirst: true }, parts: [Buffer.from("commit refs/heads/x\n")] };
    await zone.connection.ask(link, "commit-part", begin, { read: () => undefined, deadlineMs: 10_000 });
    const files = new Map([["x", "1"]]);
    // The next commit starts from the beginning, on the same connection and on another one.
    const first = await clone.writeCommit({ ...empty, files });
    await zone.connection.ask(link, "commit-part", begin, { read: () => undefined, deadlineMs: 10_000 });
    await zone.die();
    await link.closed;
    zone.revive();
    expect(await clone.writeCommit({ ...empty, files })).toBe(first);
  });

  test("distinguishes errors as the publisher needs it", async () => {
    using remote = new FakeGitRemote();
    const { zone, log } = aScene(remote);
    const clone = zone.clone({ branch: "main", root: "" });
    await expect(clone.readHead()).rejects.toThrow("The clone is not open");
    await clone.open();
    await expect(clone.writeCommit({ ...empty, parent: "1".repeat(40) })).rejects.toMatchObject({
      reason: "CacheBroken",
    });
    remote.vanish();
    const away: unknown = await clone.readHead().catch((error: unknown) => error);
    expect(away).toMatchObject({ reason: "RepositoryUnreachable" });
    expect(isKilled(away)).toBe(false);
    await zone.die();
    const lost: unknown = await clone.readHead().catch((error: unknown) => error);
    expect(lost).toMatchObject({ reason: "RepositoryUnreachable" });
    expect(isKilled(lost)).toBe(true);
    expect(log.messages("error")).toEqual([]);
  });

  test("runs nothing more in a killed clone, and answers at once", async () => {
    using remote = new FakeGitRemote();
    remote.hangPushes();
    const { zone, locks } = aScene(remote);
    const clone = zone.clone({ branch: "main", root: "" });
    await clone.open();
    const commit = await clone.writeCommit({ ...empty, files: new Map([["x", "1"]]) });
    const pushing = clone.push({ commit, parent: undefined });
    await vi.waitUntil(() => existsSync(remote.hangMark), patienceMs);
    clone.kill();
    await expect(pushing).rejects.toThrow("the operator is stopping");
    await expect(clone.rebuild("sha1")).rejects.toThrow("the operator is stopping");
    await clone.close();
    expect(locks()).toEqual([]);
  });
});
