import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { startSourceProcess } from "../../../../operator/git/source/source-process.ts";
import { systemClock } from "../../../../operator/runtime/clock.ts";
import { gitHttpServer } from "../../../fakes/git-http-server.ts";
import { FakeGitRemote } from "../../../fakes/git-remote.ts";
import { launcher } from "../../../fakes/launcher.ts";
import { childrenOf, isAlive } from "../../../fakes/processes.ts";
import { RecordingLogger } from "../../../fakes/recording-logger.ts";
import { selfSignedCertificate } from "../../../fakes/self-signed-certificate.ts";
import { aSocketFolder, SourcesOfZone } from "../../../fakes/source-zone.ts";
import { readAll } from "./sources-harness.ts";

const certificate = selfSignedCertificate();
const token = "t0ken-of-a-tenant";

/** A repository behind TLS on loopback, and a real process of the source zone that may read it. */
async function aScene(remote: FakeGitRemote) {
  const server = gitHttpServer({ root: remote.folder, certificate, authorizations: [`Bearer ${token}`] });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const folder = aSocketFolder();
  const log = new RecordingLogger();
  const zone = startSourceProcess(
    {
      ...{
        folder,
        cache: join(remote.folder, "cache"),
        cacheBytes: 2 ** 30,
        launcher,
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
  const it = new SourcesOfZone(folder);
  return { zone, it, url, more, log };
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

test("the process ends by itself, and its git processes with it", async () => {
  using remote = new FakeGitRemote();
  remote.commitByOthers({ "a/x": "1" });
  const { zone, it, more } = await aScene(remote);
  await it.ready("ns/a", more);
  const { pid = 0 } = zone;
  const children = childrenOf(pid);
  expect(children.length).toBeGreaterThan(0);
  await zone.end();
  expect(isAlive(pid)).toBe(false);
  await vi.waitUntil(() => !children.some(isAlive), 15_000);
});
