import { describe, expect, test } from "vitest";
import { WatchError } from "../../../operator/errors.ts";
import { aConfigMap, scriptedCluster, unlimited } from "./fixture.ts";

describe("KubeWatchSource.list()", () => {
  test("reads one page, each object reduced", async () => {
    await using cluster = await scriptedCluster();
    const { apiVersion: _, kind: __, ...item } = aConfigMap("a", { data: { x: "1" } });
    cluster.server.script = (_request, answer) =>
      answer.json(200, { metadata: { resourceVersion: "9", continue: "more" }, items: [item] });
    const page = await cluster.source.list({ resourceVersion: "0", limit: 500, signal: unlimited });
    expect(page).toEqual({
      items: [{ ...aConfigMap("a", { data: { x: "1" } }), ours: false }],
      resourceVersion: "9",
      continueToken: "more",
    });
    const [request] = cluster.server.requests;
    expect(request?.path).toBe("/api/v1/configmaps");
    expect(String(request?.query)).toBe("limit=500&resourceVersion=0&resourceVersionMatch=NotOlderThan");
  });

  test("sends no version with a continue token, nor for a quorum read", async () => {
    await using cluster = await scriptedCluster();
    cluster.server.script = (_request, answer) => answer.json(200, { metadata: {}, items: [] });
    await cluster.source.list({ resourceVersion: "7", limit: 500, continueToken: "t", signal: unlimited });
    await cluster.source.list({ resourceVersion: "", signal: unlimited });
    expect(cluster.server.requests.map(({ query }) => String(query))).toEqual(["limit=500&continue=t", ""]);
  });

  test("tells a refusal by status, reason and wait, without retrying", async () => {
    await using cluster = await scriptedCluster();
    cluster.server.script = (_request, answer) =>
      answer.refuse(429, "TooManyRequests", "slow down", { "retry-after": "2" });
    const error = await cluster.source
      .list({ resourceVersion: "0", signal: unlimited })
      .catch((e: unknown) => e);
    expect(error).toBeInstanceOf(WatchError);
    expect(error).toMatchObject({
      status: 429,
      reason: "TooManyRequests",
      retryAfterMs: 2000,
      refused: false,
    });
    expect(cluster.server.requests).toHaveLength(1);
  });

  test("tells a server that is not there from one that fails", async () => {
    const cluster = await scriptedCluster();
    await cluster.server[Symbol.asyncDispose]();
    const error = await cluster.source
      .list({ resourceVersion: "0", signal: unlimited })
      .catch((e: unknown) => e);
    expect(error).toMatchObject({ status: 0, refused: true });
    await cluster.transport.close();
  });
});

describe("a list of 30,000 objects in one answer", () => {
  test("leaves the event loop its turns", async () => {
    await using cluster = await scriptedCluster();
    const item = aConfigMap("a", { data: { x: "y".repeat(800) } });
    const items = Array.from({ length: 30_000 }, () => item);
    cluster.server.script = (_request, answer) => {
      answer.json(200, { metadata: { resourceVersion: "9" }, items });
    };
    let longestMs = 0;
    let lastMs = performance.now();
    let isReceived = false;
    const timer = setInterval(() => {
      // Until the answer has come the server of the test works on the same event loop.
      if (isReceived) longestMs = Math.max(longestMs, performance.now() - lastMs);
      lastMs = performance.now();
    }, 1);
    const send = cluster.transport.send.bind(cluster.transport);
    cluster.transport.send = async (request) => {
      const response = await send(request);
      isReceived = true;
      lastMs = performance.now();
      return response;
    };
    expect((await cluster.source.list({ resourceVersion: "1", signal: unlimited })).items).toHaveLength(
      30_000,
    );
    clearInterval(timer);
    expect(longestMs).toBeLessThan(60);
  });
});
