import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createSources } from "../../../../operator/git/source/create-sources.ts";
import { toFailureReason } from "../../../../operator/git/source/messages.ts";
import { createSourceService, type SourceService } from "../../../../operator/git/source/source-service.ts";
import { systemClock } from "../../../../operator/runtime/clock.ts";
import { FakeGitRemote } from "../../../fakes/git-remote.ts";
import { RecordingLogger } from "../../../fakes/recording-logger.ts";
import { aSocketFolder, aZone, noIsolation, SourcesOfZone } from "../../../fakes/source-zone.ts";
import { readAll } from "./sources-harness.ts";

/** The service as in the zone's process, with a real repository. */
function aService(remote: FakeGitRemote, options: { readonly cacheBytes?: number } = {}): SourceService {
  const [clock, log] = [systemClock(), new RecordingLogger()];
  const service = createSourceService({
    ...{ clock, log },
    isolation: { own: noIsolation, git: noIsolation },
    hookCounts: () => ({}),
    createSources: (onChange) =>
      createSources({
        ...{ clock, log, onChange },
        cacheDirectory: join(remote.folder, "cache"),
        random: () => 0.5,
        environment: { PATH: process.env["PATH"] },
        allowFile: true,
        ...options,
      }),
  });
  onTestFinished(() => service.sources.close());
  return service;
}

async function aScene(remote: FakeGitRemote, options?: Parameters<typeof aService>[1]) {
  const folder = aSocketFolder();
  const service = aService(remote, options);
  const zone = await aZone(folder, service.serve);
  const it = new SourcesOfZone(folder);
  const at = (path: string) => ({ source: { url: `file://${remote.path}`, ref: { branch: "main" }, path } });
  return { folder, service, zone, it, at };
}

test("a reason that no state of a source may have is replaced by one that it may have", () => {
  const reasons = ["SourceNotFound", "RenderLimit", "RenderNotReproducible"].map(toFailureReason);
  expect(reasons).toEqual(["SourceNotFound", "RenderLimit", "SourceInvalid"]);
});

describe("createSourceService()", () => {
  test("returns to the operator the same as sources in its own process", async () => {
    using remote = new FakeGitRemote();
    remote.commitByOthers({ "web/a.yaml": "a: 1\n", "web/sub/b.json": "{}", "other.txt": "x" });
    const head = remote.commitByOthers({ "web/a.yaml": "a: 2\n" }, { message: "Raise a" });
    const { service, it, at } = await aScene(remote);
    const revision = await it.ready("ns/web", at("web"));
    const state = service.sources.resolve(it.request("ns/web", at("web")));
    if (state.state !== "ready") throw new Error("it is not ready");
    const { files, lastChangeOf, authorsOf, ...about } = state.revision;
    expect(revision).toMatchObject(about);
    expect(about).toMatchObject({ head: { id: head }, changed: { id: head, subject: "Raise a" } });
    expect(await revision.files.list()).toEqual(await files.list());
    expect(await readAll(revision)).toEqual({ "a.yaml": "a: 2\n", "sub/b.json": "{}" });
    const paths = ["sub/b.json", "none"];
    expect(await revision.lastChangeOf(paths)).toEqual(await lastChangeOf(paths));
    const found = { authors: [{ email: "s@example.dev", commit: head }] };
    expect([await revision.authorsOf({ until: head }), await authorsOf({ until: head })]).toEqual([
      found,
      found,
    ]);
    const unknown = { until: "1".repeat(40) };
    const problem = { problem: { is: "MissingHistory", commit: unknown.until } };
    expect([await revision.authorsOf(unknown), await authorsOf(unknown)]).toEqual([problem, problem]);
  });

  test("reads many files, and large ones", async () => {
    using remote = new FakeGitRemote();
    const small = Array.from({ length: 1_200 }, (_, index) => [`${index}.txt`, `file ${index}`]);
    const large = "0123456789abcdef".repeat(200_000);
    const all = { ...Object.fromEntries(small), "a.bin": large, "b.bin": `${large}!`, "empty.txt": "" };
    remote.commitByOthers(all);
    const { it, at } = await aScene(remote);
    expect(await readAll(await it.ready("ns/all", at(".")))).toEqual(all);
  });

  test("notifies the Releases whose folder a push changed, and no others", async () => {
    using remote = new FakeGitRemote();
    remote.commitByOthers({ "a/x": "1", "b/x": "1" });
    const { it, at } = await aScene(remote);
    await Promise.all([it.ready("ns/a", at("a")), it.ready("ns/b", at("b"))]);
    it.told.length = 0;
    const head = remote.commitByOthers({ "a/x": "2" });
    const pushed = await it.ready("ns/a", at("a"), (revision) => revision.head.id === head);
    expect(await readAll(pushed)).toEqual({ x: "2" });
    expect(it.told).toEqual(["ns/a"]);
  });

  test("loses nothing in a restart, and reports only changes", async () => {
    using remote = new FakeGitRemote();
    remote.commitByOthers({ "a/x": "1", "b/x": "1" });
    const { service, zone, it, at } = await aScene(remote);
    const [before] = await Promise.all([it.ready("ns/a", at("a")), it.ready("ns/b", at("b"))]);
    it.told.length = 0;
    zone.die();
    await service.sources.close();
    const head = remote.commitByOthers({ "a/x": "2" });
    await zone.revive(aService(remote).serve);
    const pushed = await it.ready("ns/a", at("a"), (revision) => revision.head.id === head);
    expect(await readAll(pushed)).toEqual({ x: "2" });
    // The deployed commit can also be read.
    expect(await readAll(before)).toEqual({ x: "1" });
    await it.until(() => it.sources.stats.polls >= 2);
    expect(it.told).toEqual(["ns/a"]);
  });

  test("reports that a repository is too large, without ending the connection", async () => {
    using remote = new FakeGitRemote();
    remote.commitByOthers({ "a/x": Array.from({ length: 2_000 }, () => crypto.randomUUID()).join() });
    const { it, at } = await aScene(remote, { cacheBytes: 1_000 });
    it.ask("ns/a", at("a"));
    await it.until(() => it.told.length === 1);
    expect(it.ask("ns/a", at("a"))).toMatchObject({
      state: "failed",
      failure: { reason: "RenderLimit", message: expect.stringMatching(/^Cannot fetch the repository: /) },
    });
  });

  test("reports why there is no source, and what cannot be read", async () => {
    using remote = new FakeGitRemote();
    remote.commitByOthers({ "a/x": "1" });
    const { it, at } = await aScene(remote);
    it.ask("ns/a", at("nowhere"));
    await it.until(() => it.told.length === 1);
    expect(it.ask("ns/a", at("nowhere"))).toMatchObject({
      state: "failed",
      failure: { reason: "SourceNotFound", message: expect.stringContaining("nowhere") },
    });
    const { files } = await it.ready("ns/b", at("a"));
    await expect(files.read(["f".repeat(40)])).rejects.toMatchObject({ reason: "RenderLimit" });
  });

  test("follows the operator's requests: not those that it dropped while it was disconnected, nor those of another operator", async () => {
    using remote = new FakeGitRemote();
    remote.commitByOthers({ "a/x": "1" });
    const { folder, service, zone, it, at } = await aScene(remote);
    for (const key of ["ns/a", "ns/b", "ns/c"]) await it.ready(key, { ...at("a") });
    it.sources.forget("ns/a");
    await it.until(() => [...service.urls()].length === 2);
    zone.die();
    it.sources.forget("ns/b");
    await zone.revive();
    await it.until(() => [...service.urls()].length === 1);
    await it.sources.close();
    const next = new SourcesOfZone(folder);
    await next.clock.advance(1);
    await next.ready("ns/d", at("a"));
    expect([...service.urls()]).toHaveLength(1);
  });
});
