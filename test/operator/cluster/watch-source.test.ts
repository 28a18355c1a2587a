import { describe, expect, test } from "vitest";
import type { WatchEvent } from "../../../operator/runtime/ports.ts";
import { FakeClock } from "../../fakes/fake-clock.ts";
import { aConfigMap, collect, fromFive, scriptedCluster } from "./fixture.ts";

const protocols = ["http", "https", "h2"] as const;

describe("KubeWatchSource.watch()", () => {
  test.for(protocols)("returns events, bookmarks and errors over %s, for any chunks", async (protocol) => {
    await using cluster = await scriptedCluster({ protocol });
    const bookmark = {
      metadata: { resourceVersion: "8", annotations: { "k8s.io/initial-events-end": "true" } },
    };
    cluster.server.script = async (_request, answer) => {
      const stream = answer.stream();
      stream.send("ADDED", aConfigMap("a", { data: { x: "é€😀" } }));
      const line = Buffer.from(`${JSON.stringify({ type: "MODIFIED", object: aConfigMap("é€😀") })}\n`);
      for (let at = 0; at < line.length; at += 5) {
        stream.bytes(line.subarray(at, at + 5));
        await new Promise(setImmediate);
      }
      stream.send("BOOKMARK", bookmark);
      stream.send("UNHEARD-OF", {});
      stream.send("ERROR", { code: 410, reason: "Expired", message: "too old" });
      stream.end();
    };
    expect(await collect(cluster.source.watch(fromFive))).toEqual([
      { type: "ADDED", object: { ...aConfigMap("a", { data: { x: "é€😀" } }), ours: false } },
      { type: "MODIFIED", object: { ...aConfigMap("é€😀"), ours: false } },
      { type: "BOOKMARK", resourceVersion: "8", initialEventsEnd: true },
      { type: "ERROR", status: 410, reason: "Expired", message: "too old" },
    ]);
    const [request] = cluster.server.requests;
    expect(request?.httpVersion).toBe(protocol === "h2" ? "2.0" : "1.1");
    expect(Object.fromEntries(request?.query ?? [])).toEqual({
      watch: "true",
      allowWatchBookmarks: "true",
      timeoutSeconds: "300",
      resourceVersion: "5",
    });
    expect(request?.headers["authorization"]).toBe("Bearer scripted-token");
  });

  test("requests the initial events of a watch-list", async () => {
    await using cluster = await scriptedCluster();
    cluster.server.script = (_request, answer) => answer.stream().end();
    await collect(cluster.source.watch({ ...fromFive, resourceVersion: "", sendInitialEvents: true }));
    expect(Object.fromEntries(cluster.server.requests[0]?.query ?? [])).toMatchObject({
      sendInitialEvents: "true",
      resourceVersionMatch: "NotOlderThan",
    });
    expect(cluster.server.requests[0]?.query.has("resourceVersion")).toBe(false);
  });

  test.for(protocols)("rejects over %s when the server refuses the watch", async (protocol) => {
    await using cluster = await scriptedCluster({ protocol });
    cluster.server.script = (_request, answer) =>
      answer.refuse(410, "Expired", "too old", { "retry-after": "1" });
    await expect(collect(cluster.source.watch(fromFive))).rejects.toMatchObject({
      name: "WatchError",
      status: 410,
      reason: "Expired",
      retryAfterMs: 1000,
      refused: false,
    });
  });

  test.for(protocols)("rejects over %s when the connection is reset", async (protocol) => {
    await using cluster = await scriptedCluster({ protocol });
    cluster.server.script = (_request, answer) => answer.stream().send("ADDED", aConfigMap("a"));
    const seen: WatchEvent[] = [];
    const watching = (async () => {
      for await (const event of cluster.source.watch(fromFive)) {
        seen.push(event);
        cluster.server.line.reset();
      }
    })();
    await expect(watching).rejects.toMatchObject({ name: "WatchError", status: 0, refused: false });
    expect(seen).toHaveLength(1);
  });

  test.for(protocols)("rejects over %s when the stream ends inside an event", async (protocol) => {
    await using cluster = await scriptedCluster({ protocol });
    cluster.server.script = (_request, answer) => {
      const stream = answer.stream();
      stream.bytes('{"type":"ADDED","obj');
      stream.end();
    };
    await expect(collect(cluster.source.watch(fromFive))).rejects.toThrow("ended inside an event");
  });

  test.for(protocols)("ends without an error over %s when it is cancelled", async (protocol) => {
    await using cluster = await scriptedCluster({ protocol });
    cluster.server.script = (_request, answer) => answer.stream().send("ADDED", aConfigMap("a"));
    const cancel = new AbortController();
    for await (const event of cluster.source.watch({ ...fromFive, signal: cancel.signal })) {
      expect(event.type).toBe("ADDED");
      cancel.abort();
    }
  });

  test("detects within 45 s that the other side was lost silently, and the next watch works", async () => {
    const clock = new FakeClock();
    await using cluster = await scriptedCluster({ protocol: "h2", clock });
    cluster.server.script = (_request, answer) => answer.stream().send("ADDED", aConfigMap("a"));
    let failure: unknown;
    let seen = 0;
    const watching = (async () => {
      for await (const _ of cluster.source.watch(fromFive)) seen += 1;
    })().catch((error: unknown) => {
      failure = error;
    });
    await expect.poll(() => seen).toBe(1);
    cluster.server.line.blackHole();
    expect(await clock.advanceUntil(() => failure !== undefined, { withinMs: 45_000 })).toBe(true);
    expect(failure).toMatchObject({ name: "WatchError", status: 0 });
    await watching;
    for await (const event of cluster.source.watch(fromFive)) {
      expect(event.type).toBe("ADDED");
      break;
    }
    expect(cluster.server.line.accepted).toBe(2);
  });

  test("keeps an idle watch while PINGs are answered", async () => {
    await using cluster = await scriptedCluster({
      protocol: "h2",
      connection: { pingIntervalMs: 5, pingTimeoutMs: 2_000 },
    });
    const { promise: later, resolve: sendLater } = Promise.withResolvers<void>();
    cluster.server.script = async (_request, answer) => {
      const stream = answer.stream();
      stream.send("ADDED", aConfigMap("a"));
      await later;
      stream.send("ADDED", aConfigMap("b"));
      stream.end();
    };
    const watching = collect(cluster.source.watch(fromFive));
    const { chunks } = cluster.server.line;
    await expect.poll(() => cluster.server.line.chunks).toBeGreaterThanOrEqual(chunks + 5);
    sendLater();
    expect(await watching).toHaveLength(2);
  });

  test("opens all watches on one connection", async () => {
    await using cluster = await scriptedCluster({ protocol: "h2" });
    cluster.server.script = (_request, answer) => answer.stream().end();
    await Promise.all(Array.from({ length: 40 }, () => collect(cluster.source.watch(fromFive))));
    expect(cluster.server.line.accepted).toBe(1);
  });

  test("opens another connection instead of more watches on one than servers allow", async () => {
    await using cluster = await scriptedCluster({ protocol: "h2" });
    cluster.server.script = async (_request, answer) => {
      const stream = answer.stream();
      await expect.poll(() => cluster.server.requests.length).toBe(200);
      stream.end();
    };
    await Promise.all(Array.from({ length: 200 }, () => collect(cluster.source.watch(fromFive))));
    expect(cluster.server.line.accepted).toBe(3);
  });
});
