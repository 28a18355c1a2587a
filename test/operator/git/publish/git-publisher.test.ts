import { describe, expect, test } from "vitest";
import { FakeGitRemote } from "../../../fakes/git-remote.ts";
import { anOffer, folderOf, PublisherHarness } from "./publisher-harness.ts";

describe("publish()", () => {
  test("makes the first commit of an empty repository", async () => {
    using remote = new FakeGitRemote();
    await using it = await new PublisherHarness(remote).started();

    expect(it.publish(anOffer())).toMatchObject({ state: "pending" });
    await it.until(() => it.told.length > 0);
    const [record] = await it.untilPublished(anOffer());

    expect(remote.paths()).toEqual([".fairlead.yaml", `${folderOf("hello")}/deployment-hello.yaml`]);
    expect(record?.commit).toBe(remote.head());
    expect(record?.tree).toBe(remote.git(["rev-parse", `main:${folderOf("hello")}`]).trim());
    expect(it.told).toEqual(["shop/hello"]);
  });

  test("writes subject, trailers and times as documented", async () => {
    using remote = new FakeGitRemote();
    await using it = await new PublisherHarness(remote).started();

    await it.untilPublished(anOffer({ generation: 7 }));

    expect(remote.message().trim().split("\n")).toEqual([
      "Apply Echo shop/hello, generation 7",
      "",
      "Fairlead-Resource: Echo shop/hello generation 7",
      "Fairlead-Version: 0.1.0",
      "Fairlead-Lease: 6f1c/3",
    ]);
    expect(remote.git(["log", "-1", "--format=%an %ce %cI", "main"])).toMatch(
      /^Fairlead fairlead@noreply\S+ 2026-01-01T00:00:0\d(Z|\+00:00)\n$/,
    );
    expect(
      remote.git(["log", "-1", "--format=%(trailers:key=Fairlead-Lease,valueonly)", "main"]).trim(),
    ).toBe("6f1c/3");
  });

  test("adds a new branch to a repository with others, and does not change those", async () => {
    using remote = new FakeGitRemote();
    const theirs = remote.commitByOthers({ "README.md": "hello" }, { branch: "trunk" });
    await using it = await new PublisherHarness(remote).started();

    await it.untilPublished(anOffer());

    expect(remote.head("trunk")).toBe(theirs);
    expect(remote.paths()).toEqual([".fairlead.yaml", `${folderOf("hello")}/deployment-hello.yaml`]);
  });

  test("writes only below its root, and does not change other files", async () => {
    using remote = new FakeGitRemote();
    remote.commitByOthers({ "README.md": "hello", "env/prod/notes.txt": "mine", "shop/x": "y" });
    await using it = await new PublisherHarness(remote, { root: "env/prod" }).started();

    await it.untilPublished(anOffer());

    expect(remote.paths()).toEqual([
      "README.md",
      "env/prod/.fairlead.yaml",
      "env/prod/notes.txt",
      `env/prod/${folderOf("hello")}/deployment-hello.yaml`,
      "shop/x",
    ]);
    expect(remote.commits()).toBe(2);
  });

  test("commits concurrent offers together", async () => {
    using remote = new FakeGitRemote();
    await using it = await new PublisherHarness(remote).started();
    const offers = Array.from({ length: 30 }, (_, index) => anOffer({ name: `e${index}` }));

    await it.untilPublished(...offers);

    expect(remote.commits()).toBe(1);
    expect(remote.message()).toContain("Apply 30 resources\n");
    expect(remote.message()).toContain("Fairlead-Resources: 30\n");
  });

  test("collects offers during a push in the next commit", async () => {
    using remote = new FakeGitRemote();
    await using it = await new PublisherHarness(remote).started();
    it.publish(anOffer());
    await it.until(() => it.publisher.stats.commits === 1);

    const later = ["a", "b", "c"].map((name) => anOffer({ name }));
    for (const offer of later) it.publish(offer);
    await it.untilPublished(anOffer(), ...later);

    expect(remote.commits()).toBe(2);
  });

  test("replaces a folder as a whole", async () => {
    using remote = new FakeGitRemote();
    await using it = await new PublisherHarness(remote).started();
    await it.untilPublished(anOffer({ files: { "a.yaml": "1", "b.yaml": "1", "sub/c.yaml": "1" } }));

    await it.untilPublished(anOffer({ files: { "b.yaml": "2" } }));

    expect(remote.paths()).toEqual([".fairlead.yaml", `${folderOf("hello")}/b.yaml`]);
    expect(remote.read(`${folderOf("hello")}/b.yaml`)).toBe("2");
  });

  test("uses the newest offer when several are made before a commit", async () => {
    using remote = new FakeGitRemote();
    await using it = await new PublisherHarness(remote).started();

    for (let generation = 1; generation < 5; generation++) it.publish(anOffer({ generation }));
    await it.untilPublished(anOffer({ generation: 5 }));

    expect(remote.commits()).toBe(1);
    expect(remote.message()).toContain("generation 5");
  });

  test("a resource without files has no folder and needs no commit", async () => {
    using remote = new FakeGitRemote();
    await using it = await new PublisherHarness(remote).started();
    await it.untilPublished(anOffer({ files: {} }));
    expect(remote.head()).toBeUndefined();
  });

  test("works with a repository that uses SHA-256", async () => {
    using remote = new FakeGitRemote({ format: "sha256" });
    await using it = await new PublisherHarness(remote).started();

    const [record] = await it.untilPublished(anOffer());

    expect(record?.tree).toBe(remote.git(["rev-parse", `main:${folderOf("hello")}`]).trim());
    expect(record?.tree).toHaveLength(64);
    // Notified once, after the push, and not about the hash.
    expect(it.told).toEqual(["shop/hello"]);
  });

  test.for(["../x", "a/.git/b", "shop/echoes.fairlead.dev/.."])("refuses the folder %s", async (folder) => {
    using remote = new FakeGitRemote();
    await using it = new PublisherHarness(remote);
    expect(() => it.publish({ ...anOffer(), folder })).toThrow(RangeError);
    expect(() => it.publish(anOffer({ files: { [folder]: "" } }))).toThrow(RangeError);
  });
});

describe("content that is already on the branch", () => {
  test("a cold start with it changes nothing and renders nothing", async () => {
    using remote = new FakeGitRemote();
    const offers = ["a", "b", "c"].map((name) => anOffer({ name }));
    const records = await (async () => {
      await using first = await new PublisherHarness(remote).started();
      return await first.untilPublished(...offers);
    })();
    const head = remote.head();

    let rendered = 0;
    await using it = new PublisherHarness(remote, { claimOf: () => "wanted" });
    const again = ["a", "b", "c"].map((name, index) => {
      const last = records[index];
      return anOffer({ name, onRender: () => rendered++, ...(last && { last }) });
    });
    // Even before the remote was polled: the status is the best information.
    for (const offer of again) expect(it.publish(offer)).toMatchObject({ state: "published" });
    await it.started();
    it.publisher.sweep();
    await it.clock.advance(50_000);
    for (const offer of again) expect(it.publish(offer)).toMatchObject({ state: "published" });

    expect(rendered).toBe(0);
    expect(remote.head()).toBe(head);
    expect(it.told).toEqual([]);
    expect(it.publisher.stats).toMatchObject({ commits: 0, pushes: 0, fetches: 0, lsRemotes: 1 });
  });

  test("the same files need no commit, also when the status lost them", async () => {
    using remote = new FakeGitRemote();
    const path = `${folderOf("hello")}/a.yaml`;
    remote.commitByOthers({ [path]: "kind: A\n" });
    await using it = await new PublisherHarness(remote).started();

    const [record] = await it.untilPublished(anOffer({ files: { "a.yaml": "kind: A\n" } }));

    expect(record?.commit).toBe(remote.head());
    expect(it.publisher.stats.commits).toBe(0);
  });

  test.for([
    { chance: 0, delayMs: 57_000 },
    { chance: 1, delayMs: 63_000 },
  ])(
    "in steady state it polls about once a minute ($delayMs ms), and does nothing else",
    async ({ chance, delayMs }) => {
      using remote = new FakeGitRemote();
      await using it = await new PublisherHarness(remote, { random: () => chance }).started();
      await it.untilPublished(anOffer());
      await it.untilNextPoll();
      const { commits, fetches } = it.publisher.stats;

      // Until the clock is read, git may take any time, and the clock continues.
      const asked: number[] = [];
      const schedule = it.clock.schedule.bind(it.clock);
      it.clock.schedule = (afterMs, callback) => {
        asked.push(afterMs);
        return schedule(afterMs, callback);
      };
      await it.untilNextPoll();
      await it.until(() => asked.includes(delayMs));

      expect(it.publisher.stats).toMatchObject({ commits, fetches });
      expect(remote.commits()).toBe(1);
    },
  );
});
