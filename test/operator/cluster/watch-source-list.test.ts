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

  test("reports a rejection with status, reason and delay, without retrying", async () => {
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

  test("distinguishes an unreachable server from a failing one", async () => {
    const cluster = await scriptedCluster();
    await cluster.server[Symbol.asyncDispose]();
    const error = await cluster.source
      .list({ resourceVersion: "0", signal: unlimited })
      .catch((e: unknown) => e);
    expect(error).toMatchObject({ status: 0, refused: true });
    await cluster.transport.close();
  });
});
