import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { startGitZone } from "../../../../operator/git/git-zone.ts";
import { sourceZone } from "../../../../operator/git/source/source-process.ts";
import { systemClock } from "../../../../operator/runtime/clock.ts";
import type { ReportedIsolation } from "../../../../operator/sandbox/isolation-report.ts";
import { noKernelIsolation } from "../../../../operator/sandbox/kernel-isolation.ts";
import { gitHttpServer } from "../../../fakes/git-http-server.ts";
import { FakeGitRemote } from "../../../fakes/git-remote.ts";
import { kernelIsolation, launcher } from "../../../fakes/launcher.ts";
import { childrenOf, filtersOf, isAlive } from "../../../fakes/processes.ts";
import { RecordingLogger } from "../../../fakes/recording-logger.ts";
import { selfSignedCertificate } from "../../../fakes/self-signed-certificate.ts";
import { aSocketFolder, SourcesOfZone } from "../../../fakes/source-zone.ts";
import { patienceMs } from "../../../patience.ts";
import { readAll } from "./sources-harness.ts";

const certificate = selfSignedCertificate();
const token = "t0ken-of-a-tenant";

/** A repository with TLS on loopback, and a real process of the source zone that may read it. */
async function aScene(remote: FakeGitRemote, { isolation = kernelIsolation, requireIsolation = false } = {}) {
  const server = gitHttpServer({ root: remote.folder, certificate, authorizations: [`Bearer ${token}`] });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const folder = aSocketFolder();
  const log = new RecordingLogger();
  const zone = startGitZone(
    sourceZone,
    {
      ...{
        folder,
        cache: join(remote.folder, "cache"),
        cacheBytes: 2 ** 30,
        isolation,
        requireIsolation,
        allowFile: false,
        hooks: undefined,
      },
      ...{ logLevel: "warn", logFormat: "json" },
    },
    { environment: process.env, clock: systemClock(), random: () => 0, log },
  );
  onTestFinished(async () => {
    await zone.end();
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const url = `https://127.0.0.1:${port}/${basename(remote.path)}`;
  const more = {
    source: { url, ref: { branch: "main" }, path: "a" },
    credentials: new Map([
      ["bearerToken", token],
      ["ca.crt", certificate.certificate],
    ]),
  };
  const reported = new Map<string, ReportedIsolation>();
  const it = new SourcesOfZone(folder, {
    onIsolation: (process, found) => void reported.set(process, found),
  });
  return { zone, it, url, more, log, reported };
}

test("the process of the source zone reads a repository over https, and is restarted when it ends", async () => {
  using remote = new FakeGitRemote();
  remote.commitByOthers({ "a/x": "1" });
  const { zone, it, url, more, log } = await aScene(remote);
  expect(await readAll(await it.ready("ns/a", more))).toEqual({ x: "1" });

  const { pid = 0 } = zone;
  const [commandLine, environment] = ["cmdline", "environ"].map((name) =>
    readFileSync(`/proc/${pid}/${name}`, "latin1"),
  );
  expect(commandLine).not.toContain(token);
  expect(environment).not.toContain(token);
  expect(environment?.split("\0").map((line) => line.split("=")[0])).not.toContain("HOME");

  const second = remote.commitByOthers({ "a/x": "2" });
  it.sources.refresh({ url });
  await it.ready("ns/a", more, ({ head }) => head.id === second);

  process.kill(pid, "SIGKILL");
  const third = remote.commitByOthers({ "a/x": "3" });
  const pushed = await it.ready("ns/a", more, ({ head }) => head.id === third);
  expect(await readAll(pushed)).toEqual({ x: "3" });
  expect(it.told).toEqual(["ns/a", "ns/a", "ns/a"]);
  expect(log.messages("warn")).toEqual(["A process of a zone ended, restarting it"]);
  expect(JSON.stringify([...log.entries, ...it.log.entries])).not.toContain(token);
});

test.runIf(launcher !== undefined)(
  "the process is isolated by the kernel, git more strictly, and both are reported",
  async () => {
    using remote = new FakeGitRemote();
    remote.commitByOthers({ "a/x": "1" });
    const { zone, it, more, reported } = await aScene(remote);
    await it.ready("ns/a", more);
    const { pid = 0 } = zone;
    expect(filtersOf(pid)).toBe("1");
    // The launcher executes git only after it has set up the isolation.
    await vi.waitUntil(() => childrenOf(pid).some((child) => filtersOf(child) === "2"), patienceMs);
    const { inForce } = kernelIsolation;
    expect([...reported].map(([name, found]) => [name, found.inForce])).toEqual([
      ["source", inForce],
      ["git", inForce],
    ]);
  },
);

test("without required isolation no repository is polled, and its Releases report why", async () => {
  using remote = new FakeGitRemote();
  remote.commitByOthers({ "a/x": "1" });
  const isolation = noKernelIsolation("the launcher is not installed");
  const { it, more, reported } = await aScene(remote, { isolation, requireIsolation: true });
  await it.until(() => it.ask("ns/a", more).state === "failed");
  expect(it.ask("ns/a", more)).toEqual({
    state: "failed",
    failure: {
      reason: "SourceUnreachable",
      message:
        "Cannot poll the repository: the kernel does not isolate git processes: the launcher is not installed, and this operator requires isolation",
    },
  });
  expect(reported.get("git")).toMatchObject({ keptApart: false, inForce: [] });
  expect(existsSync(join(remote.folder, "cache", "isolation"))).toBe(false);
});

test("without optional isolation a repository is read", async () => {
  using remote = new FakeGitRemote();
  remote.commitByOthers({ "a/x": "1" });
  const { it, more } = await aScene(remote, {
    isolation: noKernelIsolation("the launcher is not installed"),
  });
  expect(await readAll(await it.ready("ns/a", more))).toEqual({ x: "1" });
});

test.runIf(launcher !== undefined)(
  "if git does not start with isolation, the process runs without it",
  async () => {
    using remote = new FakeGitRemote();
    remote.commitByOthers({ "a/x": "1" });
    const { it, more, log, reported } = await aScene(remote, {
      isolation: { ...kernelIsolation, launcher: "/bin/false" },
    });
    expect(await readAll(await it.ready("ns/a", more))).toEqual({ x: "1" });
    expect(log.messages("warn")).toEqual(["The kernel does not isolate a zone"]);
    expect(reported.get("source")).toMatchObject({ keptApart: false });
  },
);

test("the process ends by itself, together with its git processes", async () => {
  using remote = new FakeGitRemote();
  remote.commitByOthers({ "a/x": "1" });
  const { zone, it, more } = await aScene(remote);
  await it.ready("ns/a", more);
  const { pid = 0 } = zone;
  const children = childrenOf(pid);
  expect(children.length).toBeGreaterThan(0);
  await zone.end();
  expect(isAlive(pid)).toBe(false);
  await vi.waitUntil(() => !children.some(isAlive), patienceMs);
});
