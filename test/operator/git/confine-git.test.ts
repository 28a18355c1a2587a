import { once } from "node:events";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { confineGit } from "../../../operator/git/confine-git.ts";
import type { ConfineGit } from "../../../operator/git/git-command.ts";
import { gitEnvironment } from "../../../operator/git/git-environment.ts";
import { GitProcesses, type GitResult } from "../../../operator/git/git-process.ts";
import type { RemoteUrl } from "../../../operator/git/remote-url.ts";
import { systemClock } from "../../../operator/runtime/clock.ts";
import { gitHttpServer } from "../../fakes/git-http-server.ts";
import { FakeGitRemote } from "../../fakes/git-remote.ts";
import { kernelIsolation } from "../../fakes/launcher.ts";
import { selfSignedCertificate } from "../../fakes/self-signed-certificate.ts";
import { readAll, SourcesHarness } from "./source/sources-harness.ts";

const { launcher = "", inForce } = kernelIsolation;
const isRoot = process.getuid?.() === 0;
const ownIsolation = confineGit({ launcher, inForce, isRoot });

function aFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "fairlead-confined-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs git with isolation, in a folder of its own. */
async function git(
  words: readonly string[],
  remote?: RemoteUrl,
  confine: ConfineGit = ownIsolation,
): Promise<GitResult> {
  const home = aFolder();
  const processes = new GitProcesses({ clock: systemClock(), timeoutMs: 20_000, confine });
  const environment = gitEnvironment({ home, environment: { PATH: process.env["PATH"] }, protocol: "https" });
  return await processes.run({ arguments: words, directory: home, environment, ...(remote && { remote }) });
}

/** A port that counts its connections. */
async function aPort() {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, connections: () => connections };
}

describe.runIf(inForce.includes("files"))("confineGit()", () => {
  test("lets git work in its own folder", async () => {
    expect(await git(["init", "--quiet", "--bare", "own"])).toMatchObject({ exitCode: 0, stderr: "" });
  });

  test("denies access to the folders of others, for reading and writing", async () => {
    const others = aFolder();
    const secret = join(others, "credentials");
    writeFileSync(secret, "t0ken");
    const read = await git(["hash-object", secret]);
    expect(read.exitCode).not.toBe(0);
    expect(read.stderr).toContain("Permission denied");
    expect((await git(["init", "--quiet", join(others, "new")])).exitCode).not.toBe(0);
    expect((await git(["-c", `alias.steal=!cat ${secret}`, "steal"])).stdout.join("")).toBe("");
  });

  test("denies access to the environment of other processes", async () => {
    const { stdout } = await git(["-c", `alias.steal=!cat /proc/${process.pid}/environ`, "steal"]);
    expect(stdout.join("")).toBe("");
  });

  test.runIf(inForce.includes("tcp"))("lets it connect only to its remote", async () => {
    const [own, other] = [await aPort(), await aPort()];
    const url = (port: number) => `https://127.0.0.1:${port}/x`;
    const remote = { protocol: "https", url: url(own.port) } as const;
    await git(["ls-remote", url(own.port)], remote);
    await git(["ls-remote", url(other.port)], remote);
    await git(["ls-remote", url(own.port)]);
    expect([own.connections(), other.connections()]).toEqual([1, 0]);
  });

  test("allows access to the folder of credentials only for its remote", async () => {
    const credentials = aFolder();
    const secret = join(credentials, "password");
    writeFileSync(secret, "t0ken");
    const confine = confineGit({ launcher, inForce, isRoot, credentials });
    const read = ["hash-object", secret];
    const remote = { protocol: "https", url: "https://git.example.dev/x" } as const;
    expect(await git(read, remote, confine)).toMatchObject({ exitCode: 0, stderr: "" });
    expect((await git(read, undefined, confine)).stderr).toContain("Permission denied");
    const write = ["init", "--quiet", join(credentials, "new")];
    expect((await git(write, remote, confine)).exitCode).not.toBe(0);
  });

  test("passes no secret on the command line", () => {
    const environment = { PATH: process.env["PATH"] ?? "", HOME: "/home", GIT_CONFIG_VALUE_0: "t0ken" };
    expect(JSON.stringify(ownIsolation({ arguments: ["fetch"], environment }))).not.toContain("t0ken");
  });

  test("lets a source be fetched over https, and read", async () => {
    using remote = new FakeGitRemote();
    remote.commitByOthers({ "a/x": "1" });
    const certificate = selfSignedCertificate();
    const server = gitHttpServer({ root: remote.folder, certificate, authorizations: ["Bearer t0ken"] });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/${basename(remote.path)}`;
    const credentials = { bearerToken: "t0ken", "ca.crt": certificate.certificate };
    await using it = new SourcesHarness(remote, { confine: ownIsolation });
    expect(await readAll(await it.ready("ns/a", { url, credentials, path: "a" }))).toEqual({ x: "1" });
  });

  test("lets a repository on this machine be read", async () => {
    using remote = new FakeGitRemote();
    remote.commitByOthers({ "a/x": "1" });
    await using it = new SourcesHarness(remote, { confine: ownIsolation });
    expect(await readAll(await it.ready("ns/a", { path: "a" }))).toEqual({ x: "1" });
    const head = remote.commitByOthers({ "a/x": "2" });
    await it.ready("ns/a", { path: "a" }, (revision) => revision.head.id === head);
  });
});
