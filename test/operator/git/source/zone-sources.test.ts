import { describe, expect, test } from "vitest";
import { SourceError } from "../../../../operator/errors.ts";
import { aCommit, aScriptedZone, aState, one, other, tree } from "../../../fakes/scripted-source-zone.ts";

describe("ZoneSources", () => {
  test("answers from memory, and notifies when the zone sends another state", async () => {
    const { zone, it } = await aScriptedZone();
    expect(it.ask("ns/a")).toEqual({ state: "pending" });
    await it.until(() => zone.wanted.has("ns/a"));
    zone.say("ns/a", aState(one));
    const first = await it.ready("ns/a");
    expect(first).toMatchObject({ head: aCommit(one), tree });
    zone.say("ns/a", aState(one));
    zone.say("ns/a", { ...aState(other), tree: "b".repeat(40) });
    await it.ready("ns/a", {}, ({ head }) => head.id === other);
    expect(it.told).toEqual(["ns/a", "ns/a"]);
  });

  test("notifies only the kind in the key, if there is one", async () => {
    const { zone, it } = await aScriptedZone();
    const told: string[] = [];
    it.sources.subscribe((keys) => void told.push(...keys), "apps.example.dev");
    const keys = ["ns/a@apps.example.dev", "ns/a@others.example.dev", "ns/a"];
    for (const key of keys) it.ask(key);
    await it.until(() => keys.every((key) => zone.wanted.has(key)));
    for (const key of keys) zone.say(key, aState(one));
    await it.until(() => it.told.length > 0);
    expect([told, it.told]).toEqual([["ns/a@apps.example.dev"], ["ns/a"]]);
  });

  test("keeps its last answers for followed resources", async () => {
    const { zone, it } = await aScriptedZone();
    expect(it.sources.known("ns/a")).toBeUndefined();
    it.ask("ns/a");
    expect(it.sources.known("ns/a")).toEqual({ state: "pending" });
    await it.until(() => zone.wanted.has("ns/a"));
    zone.say("ns/a", aState(one));
    await it.ready("ns/a");
    expect(it.sources.known("ns/a")).toMatchObject({ state: "ready", revision: { tree } });
    it.sources.forget("ns/a");
    expect(it.sources.known("ns/a")).toBeUndefined();
  });

  test("sends a request to the zone once, with its credentials, and its changes", async () => {
    const { zone, it } = await aScriptedZone();
    const credentials = new Map([["password", "hidden"]]);
    for (let times = 0; times < 3; times++) it.ask("ns/a", { credentials });
    await it.until(() => zone.wanted.has("ns/a"));
    expect(zone.wanted.get("ns/a")?.request).toMatchObject({
      source: { url: "https://git.example.dev/app", ref: { branch: "main" }, path: "." },
      credentials: [["password", "hidden"]],
    });
    it.ask("ns/a", { credentials, intervalMs: 1_000 });
    await it.until(() => zone.wanted.get("ns/a")?.request?.intervalMs === 1_000);
    it.sources.forget("ns/a");
    await it.until(() => !zone.wanted.has("ns/a"));
    expect(zone.batches).toEqual([["ns/a"], ["ns/a"], ["ns/a"]]);
    expect(JSON.stringify(it.log.entries)).not.toContain("hidden");
  });

  test("is pending after a new request, and ignores answers to the previous one", async () => {
    const { zone, it } = await aScriptedZone();
    it.ask("ns/a");
    await it.until(() => zone.wanted.has("ns/a"));
    const { version } = zone.wanted.get("ns/a") ?? { version: 0 };
    zone.say("ns/a", aState(one));
    await it.ready("ns/a");
    const tag = { source: { url: "https://git.example.dev/app", ref: { tag: "v1" }, path: "." } };
    expect(it.ask("ns/a", tag)).toEqual({ state: "pending" });
    await it.until(() => zone.wanted.get("ns/a")?.version !== version);
    zone.say("ns/a", aState(one), version);
    zone.say("ns/a", aState(other));
    expect((await it.ready("ns/a", tag)).head.id).toBe(other);
    expect(it.told).toHaveLength(2);
  });

  test("keeps a revision and adds a later failure", async () => {
    const { zone, it } = await aScriptedZone();
    it.ask("ns/a");
    await it.until(() => zone.wanted.has("ns/a"));
    zone.say("ns/a", aState(one));
    await it.ready("ns/a");
    const failure = { reason: "SourceRefused", message: "Cannot read the repository" };
    zone.say("ns/a", failure);
    await it.until(() => it.told.length === 2);
    expect(it.ask("ns/a")).toMatchObject({ state: "ready", revision: { tree }, stale: failure });
  });

  test("reports the handled request with its annotation value", async () => {
    const { zone, it } = await aScriptedZone();
    const requestedAt = "2026-01-02T03:04:05Z\u0007 or anything else";
    it.ask("ns/a", { requestedAt });
    await it.until(() => zone.wanted.has("ns/a"));
    zone.say("ns/a", aState(one, { handled: zone.wanted.get("ns/a")?.request?.requested }));
    await it.until(() => it.told.length === 1);
    expect(it.ask("ns/a", { requestedAt })).toMatchObject({ handledRequest: requestedAt });
    it.ask("ns/a", { requestedAt: "later" });
    zone.say("ns/a", aState(other, { tree: "b".repeat(40), handled: 7 }));
    await it.until(() => it.told.length === 2);
    expect(it.ask("ns/a", { requestedAt: "later" })).toMatchObject({ handledRequest: requestedAt });
  });

  test("sends all requests again after a restart of the zone, and reports only changes", async () => {
    const { zone, it, restart } = await aScriptedZone();
    const keys = Array.from({ length: 1_000 }, (_, index) => `ns/${index}`);
    for (const key of keys) it.ask(key);
    await it.until(() => zone.wanted.size === keys.length);
    for (const key of keys) zone.say(key, aState(one));
    await it.until(() => it.told.length === keys.length);
    await restart();
    expect(it.ask("ns/1")).toMatchObject({ state: "ready" });
    await it.until(() => zone.wanted.size === keys.length);
    for (const key of keys) zone.say(key, aState(one));
    zone.say("ns/7", { ...aState(other), tree: "b".repeat(40) });
    await it.until(() => it.told.length > keys.length);
    expect(it.told.slice(keys.length)).toEqual(["ns/7"]);
  });

  test("marks its state as stale after a minute without a zone, until there is one", async () => {
    const { zone, it, die, restart } = await aScriptedZone();
    it.ask("ns/a");
    it.ask("ns/b");
    await it.until(() => zone.wanted.size === 2);
    zone.say("ns/a", aState(one));
    await it.ready("ns/a");
    die();
    await it.until(() => it.told.length === 3, { stepMs: 1_000 });
    expect(it.clock.now()).toBeGreaterThan(60_000);
    const outage = { reason: "SourceUnreachable" };
    expect(it.ask("ns/a")).toMatchObject({ state: "ready", revision: { tree }, stale: outage });
    expect(it.ask("ns/b")).toMatchObject({ state: "failed", failure: outage });
    await restart();
    await it.until(() => zone.wanted.size === 2);
    zone.say("ns/a", aState(one));
    await it.until(() => it.told.length === 4);
    expect(it.ask("ns/a")).not.toHaveProperty("stale");
  });

  test("adds up the counters over restarts", async () => {
    const { zone, it, restart } = await aScriptedZone();
    const count = (polls: number, accepted: number) =>
      void zone.follower?.send({
        body: { counts: { polls, fetches: 0, rebuilds: 0, notified: 0 }, hooks: { accepted } },
      });
    it.ask("ns/a");
    await it.until(() => zone.follower !== undefined);
    count(3, 1);
    count(5, 1);
    await it.until(() => it.sources.stats.polls === 5);
    await restart();
    await it.until(() => zone.follower !== undefined);
    count(2, 0);
    await it.until(() => it.sources.stats.polls === 7);
  });

  test("repeats a read over the next connection when one is lost", async () => {
    const { zone, it, restart } = await aScriptedZone();
    it.ask("ns/a");
    await it.until(() => zone.wanted.has("ns/a"));
    zone.say("ns/a", aState(one));
    const { files } = await it.ready("ns/a");
    let reads = 0;
    zone.more = async ({ send }) => {
      if (++reads === 1) await restart();
      await send({ body: { sizes: [2, 3] } });
      await send({ body: {}, parts: [Buffer.from("ab")] });
      await send({ body: {}, parts: [Buffer.from("cde")] });
      return { body: {} };
    };
    let contents: ReadonlyMap<string, Buffer> | undefined;
    void files.read([one, other, one]).then((read) => (contents = read));
    await it.until(() => contents !== undefined);
    expect([...(contents ?? [])].map(([id, text]) => [id, String(text)])).toEqual([
      [one, "ab"],
      [other, "cde"],
    ]);
    expect(reads).toBe(2);
  });

  test("reports the zone's reason for unreadable files, and its own if there is no zone", async () => {
    const { zone, it, die } = await aScriptedZone();
    it.ask("ns/a");
    await it.until(() => zone.wanted.has("ns/a"));
    zone.say("ns/a", aState(one));
    const { files } = await it.ready("ns/a");
    zone.more = () => Promise.reject(new SourceError("RenderLimit", "Cannot read the files: too large"));
    await expect(files.list()).rejects.toMatchObject({ reason: "RenderLimit", message: /too large/ });
    die();
    let error: unknown;
    files.list().catch((reason: unknown) => (error = reason));
    await it.until(() => error !== undefined, { stepMs: 1_000 });
    expect(error).toMatchObject({ reason: "SourceUnreachable" });
  });
});
