import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FakeGitRemote } from "../../fakes/git-remote.ts";
import { anOffer, PublisherHarness } from "./publish/publisher-harness.ts";

const offers = (generation = 1) => ["a", "b", "c"].map((name) => anOffer({ name, generation }));

describe("the remote is unavailable or rejects pushes", () => {
  test("an unreachable remote is reported once, and everything is pushed in one commit afterwards", async () => {
    using remote = new FakeGitRemote();
    await using it = await new PublisherHarness(remote).started();
    await it.untilPublished(...offers());
    remote.vanish();

    for (const offer of offers(2)) it.publish(offer);
    await it.until(() => offers(2).every((offer) => it.publish(offer).state === "failed"));
    expect(it.publish(anOffer({ name: "a", generation: 2 }))).toMatchObject({
      reason: "RepositoryUnreachable",
      message: expect.stringContaining("does not appear to be a git repository"),
    });
    it.told.length = 0;
    it.logged.length = 0;
    const { lsRemotes } = it.publisher.stats;
    await it.until(() => it.publisher.stats.lsRemotes >= lsRemotes + 5, { stepMs: 500 });
    expect([it.told, it.logged]).toEqual([[], []]);
    expect(it.publisher.stats).toMatchObject({ pushed: 1, pending: 3, failing: "RepositoryUnreachable" });
    const { oldestPendingMs } = it.publisher.stats;
    expect(oldestPendingMs).toBeGreaterThan(1_000);
    // A newer edit of the same resource does not reset its age.
    it.publish(anOffer({ name: "a", generation: 3 }));
    it.publish(anOffer({ name: "a", generation: 2 }));
    expect(it.publisher.stats.oldestPendingMs).toBeGreaterThanOrEqual(oldestPendingMs);
    // Unaffected publications stay, and new ones fail at once.
    expect(it.publish(anOffer({ name: "d" }))).toMatchObject({ state: "failed" });

    remote.behave();
    await it.untilPublished(...offers(2), anOffer({ name: "d" }));
    expect(remote.commits()).toBe(2);
    await it.until(() => it.logged.length > 0);
    expect(it.logged).toHaveLength(1);
    expect(it.announced).toEqual(["Warning RepositoryUnreachable Publish", "Normal Published Publish"]);
    expect(it.publisher.stats).toMatchObject({
      pushed: 2,
      pending: 0,
      oldestPendingMs: 0,
      failing: undefined,
    });
  });

  test("a resource that is on the branch stays published during an outage", async () => {
    using remote = new FakeGitRemote();
    await using it = await new PublisherHarness(remote).started();
    await it.untilPublished(anOffer({ name: "a" }));
    remote.vanish();
    it.publish(anOffer({ name: "b" }));
    await it.until(() => it.publish(anOffer({ name: "b" })).state === "failed");
    expect(it.publish(anOffer({ name: "a" }))).toMatchObject({ state: "published" });
    remote.behave();
  });

  test("the message of a rejecting hook is reported, and the push is retried with backoff", async () => {
    using remote = new FakeGitRemote();
    remote.refusePushes("only on weekdays");
    await using it = await new PublisherHarness(remote).started();

    it.publish(anOffer());
    await it.until(() => it.publish(anOffer()).state === "failed");
    expect(it.publish(anOffer())).toEqual({
      state: "failed",
      reason: "PushRefused",
      message: "pre-receive hook declined; only on weekdays",
    });
    const delaysMs: number[] = [];
    for (let refused = 1; refused <= 3; refused++) {
      await it.until(() => it.publisher.stats.refused === refused && it.clock.pendingDelaysMs.length === 2);
      // The other timer ends the idle process that writes commits.
      delaysMs.push(Math.min(...it.clock.pendingDelaysMs));
    }
    const [first = 0, second = 0, third = 0] = delaysMs;
    expect(second).toBeGreaterThan(first + 400);
    expect(third).toBeGreaterThan(second + 800);
    expect(it.publisher.stats.refused).toBeGreaterThanOrEqual(3);

    remote.behave();
    await it.untilPublished(anOffer());
    expect(remote.commits()).toBe(1);
  });

  test("a hanging push is killed with all its child processes", async () => {
    using remote = new FakeGitRemote();
    remote.hangPushes();
    await using it = await new PublisherHarness(remote, { timeoutMs: 60_000 }).started();

    it.publish(anOffer());
    await it.until(() => existsSync(remote.hangMark));
    expect(it.publish(anOffer())).toMatchObject({ state: "pending" });
    await it.clock.advance(61_000);
    await it.until(() => it.publish(anOffer()).state === "failed");
    expect(it.publish(anOffer())).toMatchObject({
      reason: "RepositoryUnreachable",
      message: expect.stringContaining("no output for 60 s"),
    });

    remote.behave();
    await it.untilPublished(anOffer());
    expect(remote.commits()).toBe(1);
  });

  test("a push that is killed during the update of the branch leaves no lock", async () => {
    using remote = new FakeGitRemote();
    remote.hangLocked();
    await using it = await new PublisherHarness(remote, { timeoutMs: 60_000 }).started();

    it.publish(anOffer());
    await it.until(() => existsSync(remote.hangMark));
    expect(remote.locks()).toEqual(["main.lock"]);
    // It receives SIGTERM and has 2 s to end, and the fake clock does not advance while git runs.
    const isAsked = (): boolean => it.clock.pendingDelaysMs.includes(2_000);
    expect(await it.clock.advanceUntil(isAsked, { withinMs: 61_000 })).toBe(true);
    await it.until(() => remote.locks().length === 0, { stepMs: 0 });
    await it.until(() => it.publish(anOffer()).state === "failed");

    remote.behave();
    await it.untilPublished(anOffer());
  });

  test.for(["refs/heads/main.lock", "HEAD.lock"])(
    "a stale %s is reported, with the command that removes it",
    async (lock) => {
      using remote = new FakeGitRemote();
      remote.git(["symbolic-ref", "HEAD", "refs/heads/main"]);
      await using it = await new PublisherHarness(remote).started();
      const path = join(remote.path, lock);
      // The first offer creates the branch.
      for (const offer of offers()) {
        writeFileSync(path, "");
        it.publish(offer);
        await it.until(() => it.publish(offer).state === "failed");
        expect(it.publish(offer)).toMatchObject({
          reason: "PushRefused",
          message: expect.stringContaining(`run on its host: rm '${path}'`),
        });
        rmSync(path);
        await it.untilPublished(offer);
      }
    },
  );

  test("a push whose response was lost is found, not repeated", async () => {
    using remote = new FakeGitRemote();
    await using it = await new PublisherHarness(remote).started();
    await it.untilPublished(anOffer({ name: "a" }));
    remote.loseAnswers();

    it.publish(anOffer({ name: "b" }));
    await it.until(() => remote.commits() === 2);
    remote.behave();
    const [record] = await it.untilPublished(anOffer({ name: "b" }));

    expect(record?.commit).toBe(remote.head());
    expect(remote.commits()).toBe(2);
    expect(it.publisher.stats.fetches).toBe(0);
  });

  test("an unavailable remote at the start does not change the recorded status", async () => {
    using remote = new FakeGitRemote();
    remote.vanish();
    await using it = await new PublisherHarness(remote).started();
    const known = anOffer({ name: "a" });
    const last = { digest: known.digest, tree: "t", commit: "c" };
    await it.until(() => it.publish(anOffer({ name: "b" })).state === "failed");
    expect(it.publish({ ...known, last })).toEqual({ state: "published", record: last });
    remote.behave();
    await it.until(() => it.told.includes("shop/a"));
    await it.untilPublished({ ...known, last }, anOffer({ name: "b" }));
  });
});

describe("the clone", () => {
  test.for(["objects", "HEAD"])("is recreated when its %s is damaged", async (part) => {
    using remote = new FakeGitRemote();
    await using it = await new PublisherHarness(remote).started();
    await it.untilPublished(anOffer({ name: "a" }));
    const [slot = ""] = readdirSync(join(remote.folder, "cache"));
    const path = join(remote.folder, "cache", slot, "repository.git", part);
    rmSync(path, { recursive: true });
    if (part !== "objects") writeFileSync(path, "garbage");

    await it.untilPublished(anOffer({ name: "b" }));

    expect(it.publisher.stats.rebuilds).toBe(1);
    expect(remote.commits()).toBe(2);
  });

  test("is not fetched again by the next operator", async () => {
    using remote = new FakeGitRemote();
    remote.commitByOthers({ "README.md": "hello" });
    for (const fetches of [1, 0]) {
      await using it = await new PublisherHarness(remote).started();
      await it.untilPublished(anOffer());
      expect(it.publisher.stats.fetches).toBe(fetches);
    }
  });

  test("is separate for each of two operators on one machine", async () => {
    using remote = new FakeGitRemote();
    await using one = await new PublisherHarness(remote).started();
    await using two = await new PublisherHarness(remote).started();
    await one.untilPublished(anOffer({ name: "a" }));
    await two.untilPublished(anOffer({ name: "b" }));
    expect(readdirSync(join(remote.folder, "cache"))).toHaveLength(2);
  });
});

describe("close()", () => {
  test("pushes pending changes at once", async () => {
    using remote = new FakeGitRemote();
    const it = await new PublisherHarness(remote).started();
    for (const offer of offers()) it.publish(offer);
    await it.publisher.close({ flushMs: 5_000 });
    expect(remote.commits()).toBe(1);
    it.publish(anOffer({ name: "late" }));
    await it.clock.advance(120_000);
    expect(remote.commits()).toBe(1);
  });

  test("waits for a hanging remote at most for the timeout", async () => {
    using remote = new FakeGitRemote();
    remote.hangPushes();
    const it = await new PublisherHarness(remote).started();
    it.publish(anOffer());
    const closed = it.publisher.close({ flushMs: 5_000 });
    await it.until(() => existsSync(remote.hangMark), { stepMs: 0 });
    await it.clock.advance(5_000);
    await closed;
    expect(remote.head()).toBeUndefined();
  });

  test("tries an unavailable remote only once", async () => {
    using remote = new FakeGitRemote();
    remote.vanish();
    const it = await new PublisherHarness(remote).started();
    it.publish(anOffer());
    await it.publisher.close({ flushMs: 5_000 });
    expect(it.publisher.stats.lsRemotes).toBeLessThanOrEqual(3);
    remote.behave();
  });
});
