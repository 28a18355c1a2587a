import { cpSync, existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { noKernelIsolation } from "../../../../operator/sandbox/kernel-isolation.ts";
import { FakeGitRemote } from "../../../fakes/git-remote.ts";
import { kernelIsolation, launcher } from "../../../fakes/launcher.ts";
import { childrenOf, filtersOf } from "../../../fakes/processes.ts";
import { patienceMs } from "../../../patience.ts";
import { aScene } from "./publish-process-scene.ts";
import { anOffer, folderOf } from "./publisher-harness.ts";

const { inForce } = kernelIsolation;

describe("the process of the publish zone", () => {
  test.runIf(launcher !== undefined)(
    "is isolated by the kernel, git more strictly, and both are reported",
    async () => {
      using remote = new FakeGitRemote();
      const { publisher, pid, untilPublished, reported } = aScene(remote);
      publisher.start();
      await untilPublished(anOffer({ name: "a" }));
      expect(filtersOf(pid() ?? 0)).toBe("1");
      // fast-import runs for a while.
      await vi.waitUntil(() => childrenOf(pid() ?? 0).some((child) => filtersOf(child) === "2"), patienceMs);
      expect([...reported].map(([name, found]) => [name, found.inForce])).toEqual([
        ["publish", inForce],
        ["git", inForce],
      ]);
    },
  );

  test("publishes nothing without required isolation, and reports why", async () => {
    using remote = new FakeGitRemote();
    const isolation = noKernelIsolation("the launcher is not installed");
    const { publisher, reported, zone } = aScene(remote, { isolation, requireIsolation: true });
    await zone.check();
    publisher.start();
    await vi.waitUntil(() => publisher.publish(anOffer()).state === "failed", patienceMs);
    expect(publisher.publish(anOffer())).toMatchObject({
      state: "failed",
      reason: "RepositoryUnreachable",
      message:
        "Cannot publish: the kernel does not isolate git processes: the launcher is not installed, and this operator requires isolation",
    });
    expect(remote.commits()).toBe(0);
    expect(reported.get("git")).toMatchObject({ keptApart: false, inForce: [] });
    expect(existsSync(join(remote.folder, "cache"))).toBe(false);
  });

  test.runIf(launcher !== undefined)("runs without isolation if git does not start with it", async () => {
    using remote = new FakeGitRemote();
    const isolation = { ...kernelIsolation, launcher: "/bin/false" };
    const { publisher, log, untilPublished, reported } = aScene(remote, { isolation });
    publisher.start();
    await untilPublished(anOffer({ name: "a" }));
    expect(log.messages("warn")).toEqual(["The kernel does not isolate a zone"]);
    expect(reported.get("publish")).toMatchObject({ keptApart: false });
  });

  test.runIf(inForce.includes("files"))("runs hooks, which can write only to their repository", async () => {
    using remote = new FakeGitRemote();
    const [inside, outside] = [join(remote.path, "written"), join(remote.folder, "written")];
    remote.beforePush(`touch '${inside}'; touch '${outside}'; exit 0`);
    const { publisher, untilPublished } = aScene(remote);
    publisher.start();
    await untilPublished(anOffer({ name: "a" }));
    expect([existsSync(inside), existsSync(outside)]).toEqual([true, false]);
  });

  test("uses a repository on this machine that is created later, and one that replaces it", async () => {
    using remote = new FakeGitRemote();
    remote.vanish();
    const { publisher, untilPublished } = aScene(remote);
    publisher.start();
    await vi.waitUntil(() => publisher.stats.failing !== undefined, patienceMs);
    const another = (): void => void cpSync(`${remote.path}.away`, remote.path, { recursive: true });
    another();
    await untilPublished(anOffer({ name: "a" }));
    renameSync(remote.path, `${remote.path}.old`);
    another();
    await untilPublished(anOffer({ name: "b" }));
    expect(remote.paths()).toContain(`${folderOf("b")}/deployment-b.yaml`);
  });
});
