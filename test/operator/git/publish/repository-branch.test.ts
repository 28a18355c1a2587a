import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { blobIdOf, treeIdOf } from "../../../../operator/engine/git-objects.ts";
import { type BranchChange, RepositoryBranch } from "../../../../operator/git/publish/repository-branch.ts";
import { systemClock } from "../../../../operator/runtime/clock.ts";
import { FakeGitRemote } from "../../../fakes/git-remote.ts";
import { aPublishService, PublishZoneInProcess } from "../../../fakes/publish-zone.ts";
import { RecordingLogger } from "../../../fakes/recording-logger.ts";
import { folderOf, owner } from "./publisher-harness.ts";

const pushes = 50;

function aBranch(
  remote: FakeGitRemote,
  root: string,
  environment: { PATH?: string | undefined } = process.env,
): RepositoryBranch {
  const clock = systemClock();
  const options = {
    repository: remote.path,
    credentialsDirectory: undefined,
    cacheDirectory: join(remote.folder, `cache-${root}`),
    clock,
    environment,
  };
  const zone = new PublishZoneInProcess(aPublishService(options, new RecordingLogger()));
  onTestFinished(() => zone.close());
  return new RepositoryBranch({
    clone: zone.clone({ branch: "main", root }),
    root,
    owner,
    version: "0.1.0",
    clock,
    fence: { check() {} },
    term: () => undefined,
    confirmLeadership: async () => true,
  });
}

function aChange(name: string, content: string): BranchChange {
  const files = new Map([["x.yaml", content]]);
  const write = [
    {
      folder: folderOf(name),
      title: `Echo shop/${name}`,
      generation: 1,
      tree: treeIdOf(files, "sha1"),
      files,
    },
  ];
  return { write, remove: new Map(), usesApproval: false };
}

describe("RepositoryBranch", () => {
  test(`two writers with ${pushes} pushes each lose nothing`, { timeout: 120_000 }, async () => {
    using remote = new FakeGitRemote();
    const pushed = new Map<string, string>();

    async function write(root: string): Promise<void> {
      const branch = aBranch(remote, root);
      await branch.poll();
      for (let count = 1; count <= pushes; count++) {
        const content = `${root} ${count}`;
        let commit: string | undefined;
        while (commit === undefined) {
          commit = await branch.land(aChange(`e${count}`, content));
          if (commit === undefined) await branch.poll();
        }
        pushed.set(commit, content);
      }
    }
    await Promise.all([write("one"), write("two")]);

    const history = remote.git(["rev-list", "--first-parent", "main"]).trim().split("\n");
    expect(history.toSorted()).toEqual([...pushed.keys()].toSorted());
    const wanted = [...pushed.values()].map((content) => {
      const [root, count] = content.split(" ");
      return `${blobIdOf(content, "sha1")}\t${root}/${folderOf(`e${count}`)}/x.yaml`;
    });
    const listed = remote
      .git(["ls-tree", "-r", "--format=%(objectname)%x09%(path)", "main"])
      .trim()
      .split("\n");
    expect(listed.filter((line) => line.endsWith("x.yaml")).toSorted()).toEqual(wanted.toSorted());
  });

  test("the first commit of two that begin together is not lost either", async () => {
    using remote = new FakeGitRemote();
    const [one, two] = [aBranch(remote, "one"), aBranch(remote, "two")];
    await Promise.all([one.poll(), two.poll()]);
    expect(await one.land(aChange("a", "1"))).toBe(remote.head());
    expect(await two.land(aChange("b", "2"))).toBeUndefined();
    await two.poll();
    expect(await two.land(aChange("b", "2"))).toBe(remote.head());
    expect(remote.commits()).toBe(2);
  });

  test("a clone that could not be recreated, as on a full disk, is created by the next poll", async () => {
    using remote = new FakeGitRemote();
    const environment = { PATH: process.env["PATH"] };
    const branch = aBranch(remote, "one", environment);
    await branch.poll();
    await branch.land(aChange("a", "1"));
    environment.PATH = "/no/git/here";
    await expect(branch.rebuild("sha1")).rejects.toMatchObject({ reason: "CacheBroken" });
    environment.PATH = process.env["PATH"];
    expect((await branch.poll())?.head).toBe(remote.head());
    expect(await branch.land(aChange("b", "2"))).toBe(remote.head());
  });
});
