import { describe, expect, test } from "vitest";
import { NotLeadingError } from "../../../operator/errors.ts";
import { FakeGitRemote } from "../../fakes/git-remote.ts";
import { anOffer, folderOf, leaseOfOurs, PublisherHarness } from "./publish/publisher-harness.ts";

const fileOf = (name: string) => `${folderOf(name)}/deployment-${name}.yaml`;

describe("another user writes to the branch", () => {
  test("a rendered file that was edited or deleted is restored within the minute", async () => {
    using remote = new FakeGitRemote();
    await using it = await new PublisherHarness(remote).started();
    const offers = [anOffer({ name: "a" }), anOffer({ name: "b" }), anOffer({ name: "c" })];
    await it.untilPublished(...offers);
    const wanted = remote.git(["rev-parse", "main^{tree}"]);
    remote.commitByOthers({ [fileOf("a")]: "edited", [fileOf("b")]: undefined });

    it.told.length = 0;
    await it.untilNextPoll(() => it.told.length === 2);
    expect(it.told.toSorted()).toEqual(["shop/a", "shop/b"]);
    await it.untilPublished(...offers);

    expect(remote.git(["rev-parse", "main^{tree}"])).toBe(wanted);
    expect(remote.commits()).toBe(3);
    expect(it.publisher.stats.fetches).toBe(1);
  });

  test("a commit between the poll and the push is kept as the parent of the next one", async () => {
    using remote = new FakeGitRemote();
    await using it = await new PublisherHarness(remote).started();
    await it.untilPublished(anOffer({ name: "a" }));
    const theirs = remote.commitByOthers({ "README.md": "hello" });

    await it.untilPublished(anOffer({ name: "b" }));

    expect(remote.git(["rev-parse", "main^"]).trim()).toBe(theirs);
    expect(remote.paths()).toEqual([".fairlead.yaml", "README.md", fileOf("a"), fileOf("b")]);
    expect(it.publisher.stats).toMatchObject({ retried: 1 });
    expect(it.logged).toEqual([]);
  });

  test("commits that were removed from the branch are not restored", async () => {
    using remote = new FakeGitRemote();
    await using it = await new PublisherHarness(remote).started();
    await it.untilPublished(anOffer({ name: "a" }));
    const kept = remote.head() ?? "";
    // A commit of the operator: the shallow history ends at commits of others, so a plain push could not restore them.
    const [removed] = await it.untilPublished(anOffer({ name: "b" }));
    remote.resetTo(kept);

    await it.untilPublished(anOffer({ name: "c" }));

    expect(remote.git(["rev-list", "main"])).not.toContain(removed?.commit);
    await it.until(() => {
      it.publish(anOffer({ name: "b" }));
      return remote.paths().includes(fileOf("b"));
    });
    expect(remote.paths()).toEqual([".fairlead.yaml", fileOf("a"), fileOf("b"), fileOf("c")]);
  });

  test("two publishers that push concurrently lose nothing", async () => {
    using remote = new FakeGitRemote();
    await using ours = await new PublisherHarness(remote, { root: "one" }).started();
    await using theirs = await new PublisherHarness(remote, { root: "two", random: Math.random }).started();

    async function write(it: PublisherHarness): Promise<void> {
      for (let generation = 1; generation <= 5; generation++)
        await it.untilPublished(anOffer({ generation }));
    }
    await Promise.all([write(ours), write(theirs)]);

    expect(remote.commits()).toBe(10);
    expect(remote.git(["rev-list", "--merges", "main"])).toBe("");
    for (const root of ["one", "two"])
      expect(remote.read(`${root}/${fileOf("hello")}`)).toContain("generation: 5");
  });

  test("a file with the name of a needed folder is never overwritten", async () => {
    using remote = new FakeGitRemote();
    remote.commitByOthers({ shop: "a shopping list" });
    await using it = await new PublisherHarness(remote).started();

    it.publish(anOffer());
    await it.until(() => it.publish(anOffer()).state === "failed");

    expect(remote.read("shop")).toBe("a shopping list");
    expect(it.publish(anOffer())).toMatchObject({
      reason: "PushRefused",
      message: expect.stringContaining('"shop"'),
    });
  });
});

describe("ownership of the root", () => {
  test("another owner's root is not written, until the owner removes it", async () => {
    using remote = new FakeGitRemote();
    await (async () => {
      await using other = await new PublisherHarness(remote, {
        owner: { cluster: "another", lease: "x/y" },
      }).started();
      await other.untilPublished(anOffer({ name: "theirs" }));
    })();
    const head = remote.head();
    await using it = await new PublisherHarness(remote, { claimOf: () => "gone" }).started();
    it.publisher.sweep();

    it.publish(anOffer());
    await it.until(() => it.publish(anOffer()).state === "failed");

    expect(it.publish(anOffer())).toMatchObject({
      reason: "RepositoryOwned",
      message: expect.stringContaining("Lease x/y of cluster another"),
    });
    for (let minute = 0; minute < 3; minute++) await it.untilNextPoll();
    expect(remote.head()).toBe(head);

    remote.commitByOthers({ ".fairlead.yaml": undefined });
    await it.untilNextPoll();
    await it.until(() => it.publish(anOffer()).state === "published", { stepMs: 1_000 });
    expect(remote.read(".fairlead.yaml")).toContain("kube-system-uid");
  });

  test.for(["", "{", "owner: 7", "a: &a [*a]"])(
    "a root with the foreign file %j is not written",
    async (text) => {
      using remote = new FakeGitRemote();
      remote.commitByOthers({ ".fairlead.yaml": text });
      await using it = await new PublisherHarness(remote).started();
      it.publish(anOffer());
      await it.until(() => it.publish(anOffer()).state === "failed");
      expect(it.publish(anOffer())).toMatchObject({ reason: "RepositoryOwned" });
      expect(remote.commits()).toBe(1);
    },
  );

  test("a removed file is restored with our next commit", async () => {
    using remote = new FakeGitRemote();
    await using it = await new PublisherHarness(remote).started();
    await it.untilPublished(anOffer({ name: "a" }));
    remote.commitByOthers({ ".fairlead.yaml": undefined });
    await it.untilPublished(anOffer({ name: "b" }));
    expect(remote.paths()).toContain(".fairlead.yaml");
  });
});

describe("leadership", () => {
  const later = "Apply Echo shop/x, generation 1\n\nFairlead-Version: 0.1.0\nFairlead-Lease: 6f1c/4\n";

  test("after a commit of a later leader the Lease is read, and can decide against this instance", async () => {
    using remote = new FakeGitRemote();
    remote.commitByOthers({ a: "b" }, { message: later });
    let asked = 0;
    await using it = await new PublisherHarness(remote, {
      confirmLeadership: async () => ++asked > 100,
    }).started();

    it.publish(anOffer());
    await it.until(() => asked > 0);

    expect(remote.commits()).toBe(1);
    expect(it.publish(anOffer())).toMatchObject({ state: "pending" });
  });

  test("… or for it", async () => {
    using remote = new FakeGitRemote();
    remote.commitByOthers({ a: "b" }, { message: later });
    let asked = 0;
    await using it = await new PublisherHarness(remote, {
      confirmLeadership: async () => ++asked > 0,
    }).started();
    await it.untilPublished(anOffer());
    expect(asked).toBe(1);
    expect(remote.message()).toContain(`Fairlead-Lease: 6f1c/${leaseOfOurs.transitions}`);
  });

  test.for([
    { does: "of another Lease", message: later.replace("6f1c/4", "77aa/9") },
    { does: "that only quotes a term in its text", message: `Fairlead-Lease: 6f1c/9\n\nNo trailer.\n` },
    { does: "of an earlier term", message: later.replace("6f1c/4", "6f1c/2") },
  ])("a commit $does does not cause a read of the Lease", async ({ message }) => {
    using remote = new FakeGitRemote();
    remote.commitByOthers({ a: "b" }, { message });
    await using it = await new PublisherHarness(remote, {
      confirmLeadership: () => Promise.reject(new Error("asked")),
    }).started();
    await it.untilPublished(anOffer());
  });

  test("nothing is pushed unless the fence permits it, and pending changes are pushed afterwards", async () => {
    using remote = new FakeGitRemote();
    let leads = false;
    const fence = {
      check() {
        if (!leads) throw new NotLeadingError();
      },
    };
    await using it = await new PublisherHarness(remote, { fence }).started();
    it.publish(anOffer());
    await it.clock.advance(5_000);
    expect(it.publisher.stats.pushes).toBe(0);
    expect(it.publish(anOffer())).toMatchObject({ state: "pending" });
    leads = true;
    await it.untilPublished(anOffer());
  });

  test("leadership that is lost during a commit prevents its push", async () => {
    using remote = new FakeGitRemote();
    let checks = 0;
    const fence = {
      check() {
        if (++checks > 1) throw new NotLeadingError();
      },
    };
    await using it = await new PublisherHarness(remote, { fence }).started();
    it.publish(anOffer());
    await it.until(() => checks > 1);
    expect(it.publisher.stats).toMatchObject({ commits: 1, pushes: 0 });
    expect(remote.head()).toBeUndefined();
  });
});
