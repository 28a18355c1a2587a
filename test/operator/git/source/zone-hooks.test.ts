import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createSources } from "../../../../operator/git/source/create-sources.ts";
import { createSourceService } from "../../../../operator/git/source/source-service.ts";
import { countHooks, serveZoneHooks } from "../../../../operator/git/source/zone-hooks.ts";
import type { Leader } from "../../../../operator/hooks/pass-on.ts";
import { systemClock } from "../../../../operator/runtime/clock.ts";
import { FakeGitRemote } from "../../../fakes/git-remote.ts";
import { RecordingLogger } from "../../../fakes/recording-logger.ts";
import { aSocketFolder, aZone, noIsolation, SourcesOfZone } from "../../../fakes/source-zone.ts";
import { aPush, secret, signed } from "../../hooks/hook-server.ts";

/** A zone that serves hooks on a port of this machine, and the operator's side of it. */
async function aZoneWithHooks(remote: FakeGitRemote, leader?: () => Leader) {
  const secrets = mkdtempSync(join(tmpdir(), "fairlead-hooks-"));
  onTestFinished(() => rmSync(secrets, { recursive: true }));
  writeFileSync(join(secrets, "shop"), secret);
  const [clock, log, hooks] = [systemClock(), new RecordingLogger(), countHooks()];
  const service = createSourceService({
    ...{ clock, log },
    isolation: { own: noIsolation, git: noIsolation },
    hookCounts: () => hooks.counts,
    createSources: (onChange) =>
      createSources({
        ...{ clock, log, onChange },
        cacheDirectory: join(remote.folder, "cache"),
        random: () => 0.5,
        environment: { PATH: process.env["PATH"] },
        allowFile: true,
      }),
  });
  onTestFinished(() => service.sources.close());
  await serveZoneHooks({ address: "127.0.0.1:0", secrets, service, ...hooks, clock, log });
  const listening = log.entries.find(({ message }) => message === "Listening");
  const { address } = (listening?.fields ?? {}) as { readonly address?: string };
  const folder = aSocketFolder();
  await aZone(folder, service.serve);
  const observed: unknown[] = [];
  const it = new SourcesOfZone(folder, {
    observeHook: (...seen) => observed.push(seen),
    ...(leader !== undefined && { leader }),
  });
  const post = async (body: string): Promise<number> =>
    (await fetch(`http://${address}/hooks/shop`, { method: "POST", body, headers: signed(body) })).status;
  return { it, address, service, observed, post };
}

describe("serveZoneHooks()", () => {
  test("polls the followed repositories, and sends counters to the operator", async () => {
    using remote = new FakeGitRemote();
    remote.commitByOthers({ x: "1" });
    const { it, service, observed, post } = await aZoneWithHooks(remote);
    const url = `file://${remote.path}`;
    await it.ready("ns/a", { source: { url, ref: { branch: "main" }, path: "." }, intervalMs: 3_600_000 });
    const { polls } = service.sources.stats;
    expect(await post(aPush(url))).toBe(202);
    await it.until(() => service.sources.stats.polls > polls);
    expect(await post(aPush("https://git.example.com/unknown"))).toBe(202);
    await it.until(() => observed.length === 2);
    expect(observed).toEqual([
      ["accepted", 1],
      ["unrelated", 1],
    ]);
  });

  test("passes a hook on to the leading instance", async () => {
    using remote = new FakeGitRemote();
    using other = new FakeGitRemote();
    const leading = await aZoneWithHooks(other);
    const { it, observed, post } = await aZoneWithHooks(remote, () => ({ address: leading.address ?? "" }));
    for (const scene of [leading, { it }]) {
      scene.it.sources.start();
      await scene.it.until(() => scene.it.log.messages("debug").includes("Connected to a zone"));
    }
    expect(await post(aPush())).toBe(202);
    await it.until(() => observed.length === 1);
    await leading.it.until(() => leading.observed.length === 1);
    expect([observed, leading.observed]).toEqual([[["passed-on", 1]], [["unrelated", 1]]]);
  });

  test("accepts no hook while the leader is unknown", async () => {
    using remote = new FakeGitRemote();
    const { it, post } = await aZoneWithHooks(remote, () => undefined);
    it.sources.start();
    await it.until(() => it.log.messages("debug").includes("Connected to a zone"));
    expect(await post(aPush())).toBe(503);
  });

  test("accepts no hook without an operator, because it would be lost", async () => {
    using remote = new FakeGitRemote();
    const { post } = await aZoneWithHooks(remote);
    expect(await post(aPush())).toBe(503);
  });
});
