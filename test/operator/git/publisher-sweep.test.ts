import { describe, expect, test } from "vitest";
import type { FolderClaim } from "../../../operator/ports.ts";
import { FakeGitRemote } from "../../fakes/git-remote.ts";
import { anOffer, folderOf, PublisherHarness } from "./publish/publisher-harness.ts";

const names = (count: number) => Array.from({ length: count }, (_, index) => `e${index}`);
const onBranch = (remote: FakeGitRemote) =>
  remote
    .paths()
    .filter((path) => path.startsWith("shop/echoes"))
    .map((path) => path.split("/")[2]);

describe("retire()", () => {
  test("removes the folder of a deleted resource", async () => {
    using remote = new FakeGitRemote();
    await using it = await new PublisherHarness(remote).started();
    await it.untilPublished(anOffer({ name: "a" }), anOffer({ name: "b" }));

    it.publisher.retire(folderOf("a"));
    await it.until(() => remote.commits() === 2);

    expect(onBranch(remote)).toEqual(["b"]);
    expect(remote.message()).toMatch(/^Remove Echo shop\/a\n\nFairlead-Resource: Echo shop\/a removed\n/);
  });

  test("removes more than half at once without approval, because their deletion was observed", async () => {
    using remote = new FakeGitRemote();
    await using it = await new PublisherHarness(remote).started();
    await it.untilPublished(...names(9).map((name) => anOffer({ name })));
    for (const name of names(9)) it.publisher.retire(folderOf(name));
    await it.until(() => remote.commits() === 2);
    expect(remote.paths()).toEqual([".fairlead.yaml"]);
    expect(remote.message()).toMatch(/^Remove 9 resources\n/);
  });

  test("a resource that is recreated at once keeps its folder", async () => {
    using remote = new FakeGitRemote();
    await using it = await new PublisherHarness(remote).started();
    await it.untilPublished(anOffer());
    it.publisher.retire(folderOf("hello"));
    expect(it.publish(anOffer())).toMatchObject({ state: "published" });
    await it.clock.advance(5_000);
    expect(remote.commits()).toBe(1);
  });

  test("… also during the removal", async () => {
    using remote = new FakeGitRemote();
    await using it = await new PublisherHarness(remote).started();
    await it.untilPublished(anOffer());
    it.publisher.retire(folderOf("hello"));
    await it.until(() => it.publisher.stats.commits === 2);
    it.publish(anOffer());
    await it.until(() => remote.commits() === 2);
    await it.until(() => it.told.filter((key) => key === "shop/hello").length === 2);
    await it.untilPublished(anOffer());
    expect(onBranch(remote)).toEqual(["hello"]);
  });

  test("works before the first read of the branch", async () => {
    using remote = new FakeGitRemote();
    remote.commitByOthers({ [`${folderOf("a")}/x.yaml`]: "1" });
    await using it = new PublisherHarness(remote);
    it.publisher.retire(folderOf("a"));
    await it.started();
    await it.until(() => remote.commits() === 2);
    expect(onBranch(remote)).toEqual([]);
  });
});

describe("sweep()", () => {
  const claims: Record<string, FolderClaim> = {};
  const claimOf = (folder: string): FolderClaim => claims[folder.split("/")[2] ?? ""] ?? "wanted";

  test("removes folders of resources that were deleted while no operator ran, and nothing unknown", async () => {
    using remote = new FakeGitRemote();
    const file = (name: string) => `${folderOf(name)}/x.yaml`;
    remote.commitByOthers({
      [file("kept")]: "1",
      [file("gone")]: "1",
      [file("unknown")]: "1",
      "shop/notes/gone": "mine",
      "docs/a.b/gone.txt": "mine",
    });
    Object.assign(claims, { gone: "gone", unknown: "unknown" });
    await using it = await new PublisherHarness(remote, { claimOf }).started();

    await it.clock.advance(10_000);
    expect(remote.commits()).toBe(1);
    it.publisher.sweep();
    await it.until(() => remote.commits() === 2);

    expect(remote.paths()).toEqual([
      ".fairlead.yaml",
      "docs/a.b/gone.txt",
      file("kept"),
      file("unknown"),
      "shop/notes/gone",
    ]);
  });

  test("removing more than half waits for approval of exactly this list", async () => {
    using remote = new FakeGitRemote();
    await using before = await new PublisherHarness(remote).started();
    await before.untilPublished(...names(8).map((name) => anOffer({ name })));
    await using it = await new PublisherHarness(remote, {
      claimOf: (folder) => (Number(folder.at(-1)) < 5 ? "gone" : "wanted"),
    }).started();

    it.publisher.sweep();
    await it.until(() => it.publisher.sweepState.state === "held");
    expect(it.announced).toEqual(["Warning SweepHeld Sweep"]);
    expect(it.publisher.stats.heldFolders).toBeGreaterThan(3);
    const state = it.publisher.sweepState;
    expect(state).toEqual({
      state: "held",
      id: expect.stringMatching(/^sweep-[0-9a-f]{12}$/),
      gone: 5,
      folders: 8,
    });
    expect(it.logged).toEqual([expect.stringContaining("waits for approval")]);
    expect(remote.commits()).toBe(1);

    const file = remote.read(".fairlead.yaml");
    remote.commitByOthers({ ".fairlead.yaml": `${file}approveSweep: sweep-000000000000\n` });
    await it.untilNextPoll();
    await it.untilNextPoll();
    expect(remote.commits()).toBe(2);

    if (state.state === "held")
      remote.commitByOthers({ ".fairlead.yaml": `${file}approveSweep: ${state.id}\n` });
    await it.untilNextPoll(
      () => it.publisher.stats.commits === 1 && it.publisher.sweepState.state === "idle",
    );
    await it.until(() => remote.commits() === 4);
    expect(onBranch(remote)).toEqual(["e5", "e6", "e7"]);
    expect(remote.read(".fairlead.yaml")).toBe(file);
  });

  test("a folder that another writer adds is removed when it is found", async () => {
    using remote = new FakeGitRemote();
    await using it = await new PublisherHarness(remote, {
      claimOf: (folder) => (folder.endsWith("stray") ? "gone" : "wanted"),
    }).started();
    it.publisher.sweep();
    await it.untilPublished(anOffer());
    remote.commitByOthers({ [`${folderOf("stray")}/x.yaml`]: "1" });
    await it.untilNextPoll(() => remote.commits() === 3);
    expect(onBranch(remote)).toEqual(["hello"]);
  });
});
