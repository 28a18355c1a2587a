import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { PublishOffer } from "../../../../operator/ports.ts";
import { gitHttpServer } from "../../../fakes/git-http-server.ts";
import { FakeGitRemote } from "../../../fakes/git-remote.ts";
import { childrenOf, isAlive } from "../../../fakes/processes.ts";
import { selfSignedCertificate } from "../../../fakes/self-signed-certificate.ts";
import { patienceMs } from "../../../patience.ts";
import { aScene } from "./publish-process-scene.ts";
import { anOffer, folderOf } from "./publisher-harness.ts";

/** Makes the repository run a script, which gets the zone's process id. */
function addHook(remote: FakeGitRemote, name: string, script: string): void {
  const path = join(remote.path, "hooks", name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
}

describe("the process of the publish zone", () => {
  test("has the credentials, and no variables of the operator's environment", async () => {
    using remote = new FakeGitRemote();
    const [certificate, token] = [selfSignedCertificate(), "t0ken-of-the-platform"];
    const server = gitHttpServer({ root: remote.folder, certificate, authorizations: [`Bearer ${token}`] });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    remote.git(["config", "http.receivepack", "true"]);
    const credentials = join(remote.folder, "secret");
    mkdirSync(credentials);
    writeFileSync(join(credentials, "bearerToken"), token);
    writeFileSync(join(credentials, "ca.crt"), certificate.certificate);
    const { port } = server.address() as AddressInfo;
    const repository = `https://127.0.0.1:${port}/${basename(remote.path)}`;
    const { zone, publisher, pid, log, untilPublished } = aScene(remote, { repository, credentials });
    expect(pid()).toBeUndefined();
    await zone.check();
    publisher.start();
    await untilPublished(anOffer());
    expect(remote.paths()).toContain(`${folderOf("hello")}/deployment-hello.yaml`);
    const [commandLine, environment] = ["cmdline", "environ"].map((name) =>
      readFileSync(`/proc/${pid()}/${name}`, "latin1"),
    );
    expect(commandLine).not.toContain(token);
    expect(environment?.split("\0").map((line) => line.split("=")[0])).not.toContain("HOME");
    expect(JSON.stringify(log.entries)).not.toContain(token);
  });

  test("names the missing file of the credentials", async () => {
    using remote = new FakeGitRemote();
    const repository = "https://git.example.dev/manifests.git";
    const { zone } = aScene(remote, { repository, credentials: "/no/such/folder" });
    await expect(zone.check()).rejects.toThrow(/^Cannot use the credentials: .*"\/no\/such\/folder"$/);
  });

  test.for<{ readonly when: string; readonly arm: (remote: FakeGitRemote, pid: number) => () => void }>([
    {
      when: "between a commit and its push",
      arm: (_, pid) => () => process.kill(pid, "SIGKILL"),
    },
    {
      when: "in the middle of a push",
      arm: (remote, pid) => {
        addHook(remote, "pre-receive", `rm "$0"; kill -9 ${pid}`);
        return () => undefined;
      },
    },
    {
      when: "after a successful push, before its answer",
      arm: (remote, pid) => {
        addHook(remote, "post-receive", `rm "$0"; kill -9 ${pid}`);
        return () => undefined;
      },
    },
  ])("may be killed $when: everything is on the branch once", async ({ arm }) => {
    using remote = new FakeGitRemote();
    let beforePush = (): void => undefined;
    const { publisher, log, pid, untilPublished } = aScene(remote, { beforePush: () => beforePush() });
    publisher.start();
    await untilPublished(anOffer({ name: "a" }));
    const first = pid() ?? 0;
    const kill = arm(remote, first);
    beforePush = () => {
      beforePush = () => undefined;
      kill();
    };
    await untilPublished(anOffer({ name: "b" }));
    await vi.waitUntil(() => pid() !== undefined && pid() !== first, patienceMs);
    // A push that completed without the zone is found, and not repeated.
    await untilPublished(anOffer({ name: "c" }));
    const subjects = remote.git(["log", "--reverse", "--format=%s", "main"]).trim().split("\n");
    expect(subjects).toEqual(["a", "b", "c"].map((name) => `Apply Echo shop/${name}, generation 1`));
    await vi.waitUntil(() => publisher.stats.failing === undefined, patienceMs);
    expect(publisher.stats).toMatchObject({ pending: 0, rebuilds: 0 });
    expect(log.messages("warn")).toContain("A process of a zone ended, restarting it");
    expect(log.messages("error")).toEqual([]);
  });

  test("may be killed while it reads a large commit, which is then created again, once", async () => {
    using remote = new FakeGitRemote();
    const { publisher, pid } = aScene(remote);
    publisher.start();
    await vi.waitUntil(() => publisher.stats.lsRemotes > 0, patienceMs);
    const first = pid() ?? 0;
    const offers = Array.from({ length: 1_000 }, (_, index) =>
      anOffer({ name: `e${index}`, files: { "x.yaml": `a: ${index}\n`.repeat(4_000) } }),
    );
    for (const offer of offers) publisher.publish(offer);
    // fast-import, which reads the commit.
    await vi.waitUntil(() => childrenOf(first).length > 0, { timeout: patienceMs, interval: 1 });
    process.kill(first, "SIGKILL");
    const isPublished = (offer: PublishOffer) => publisher.publish(offer).state === "published";
    await vi.waitUntil(() => offers.every(isPublished), { timeout: 60_000 });
    expect(remote.commits()).toBe(1);
    expect(remote.paths()).toHaveLength(offers.length + 1);
    await vi.waitUntil(() => publisher.stats.failing === undefined, patienceMs);
    expect(publisher.stats).toMatchObject({ rebuilds: 0, pushed: 1, pending: 0 });
  });

  test("is waited for while it is paused, and completes its request afterwards", async () => {
    using remote = new FakeGitRemote();
    const { publisher, pid, untilPublished } = aScene(remote);
    publisher.start();
    await untilPublished(anOffer({ name: "a" }));
    process.kill(pid() ?? 0, "SIGSTOP");
    expect(publisher.publish(anOffer({ name: "b" })).state).toBe("pending");
    process.kill(pid() ?? 0, "SIGCONT");
    await untilPublished(anOffer({ name: "b" }));
    expect(remote.commits()).toBe(2);
  });

  test("ends with the operator's side, together with its git processes", async () => {
    using remote = new FakeGitRemote();
    const { publisher, zone, pid, untilPublished } = aScene(remote);
    publisher.start();
    await untilPublished(anOffer({ name: "a" }));
    remote.hangPushes();
    publisher.publish(anOffer({ name: "b" }));
    await vi.waitUntil(() => existsSync(remote.hangMark), patienceMs);
    const process = pid() ?? 0;
    const children = childrenOf(process);
    expect(children.length).toBeGreaterThan(0);
    // As after the end of the operator: the clones are not closed.
    await zone.close();
    expect(isAlive(process)).toBe(false);
    await vi.waitUntil(() => !children.some(isAlive), patienceMs);
  });
});
