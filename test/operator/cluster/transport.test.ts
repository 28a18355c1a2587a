import { describe, expect, test } from "vitest";
import { ConnectionError } from "../../../operator/cluster/connection-error.ts";
import { NotLeadingError } from "../../../operator/errors.ts";
import { FakeClock } from "../../fakes/fake-clock.ts";
import { scriptedCluster } from "./fixture.ts";

const path = "/api/v1/namespaces/shop/configmaps/a";
const patch = {
  method: "PATCH",
  path,
  contentType: "application/apply-patch+yaml",
  body: '{"a":1}',
} as const;

describe("ApiTransport", () => {
  test.for(["http", "https", "h2"] as const)("sends a request unchanged over %s", async (protocol) => {
    await using cluster = await scriptedCluster({ protocol });
    cluster.server.script = (_request, answer) => answer.json(201, { name: "é€😀".repeat(9_000) });
    const response = await cluster.transport.send(patch);
    expect(response.status).toBe(201);
    expect(JSON.parse(response.body)).toEqual({ name: "é€😀".repeat(9_000) });
    expect(cluster.server.requests).toMatchObject([
      {
        method: "PATCH",
        path,
        body: '{"a":1}',
        httpVersion: "1.1",
        headers: {
          "content-type": "application/apply-patch+yaml",
          "user-agent": "fairlead/test",
          accept: "application/json",
          authorization: "Bearer scripted-token",
        },
      },
    ]);
  });

  test("reports the date of every response", async () => {
    const dates: string[] = [];
    await using cluster = await scriptedCluster({ transport: { onDate: (date) => dates.push(date) } });
    const date = "Thu, 01 Jan 2026 00:00:00 GMT";
    cluster.server.script = (_request, answer) => answer.json(404, {}, { date });
    await cluster.transport.send(patch);
    expect(dates).toEqual([date]);
  });

  test("reuses its connections", async () => {
    await using cluster = await scriptedCluster({ transport: { connections: 2 } });
    cluster.server.script = (_request, answer) => answer.json(200, {});
    await Promise.all(Array.from({ length: 20 }, () => cluster.transport.send(patch)));
    expect(cluster.server.line.accepted).toBe(2);
  });

  test("keeps its connection after a DELETE with a body", async () => {
    await using cluster = await scriptedCluster({ transport: { connections: 1 } });
    cluster.server.script = (_request, answer) => answer.json(200, {});
    for (const method of ["PATCH", "DELETE", "DELETE", "PATCH"] as const) {
      await cluster.transport.send({ method, path, body: '{"a":1}' });
    }
    expect(cluster.server.requests).toHaveLength(4);
    expect(cluster.server.line.accepted).toBe(1);
  });

  test("waits as long as the server requests, and retries", async () => {
    const clock = new FakeClock();
    await using cluster = await scriptedCluster({ clock });
    cluster.server.script = (_request, answer) =>
      cluster.server.requests.length < 3
        ? answer.refuse(429, "TooManyRequests", "slow down", { "retry-after": "2" })
        : answer.json(200, {});
    const sending = cluster.transport.send(patch);
    await expect.poll(() => cluster.server.requests.length).toBe(1);
    await expect.poll(() => clock.pendingDelaysMs).toEqual([2_000]);
    await clock.advance(2_000);
    await expect.poll(() => cluster.server.requests.length).toBe(2);
    await expect.poll(() => clock.pendingDelaysMs).toEqual([2_000]);
    await clock.advance(2_000);
    expect((await sending).status).toBe(200);
    expect(cluster.server.requests).toHaveLength(3);
  });

  test("returns the response after ten attempts", async () => {
    await using cluster = await scriptedCluster();
    cluster.server.script = (_request, answer) =>
      answer.refuse(503, "ServiceUnavailable", "later", { "retry-after": "0" });
    expect((await cluster.transport.send(patch)).status).toBe(503);
    expect(cluster.server.requests).toHaveLength(11);
  });

  test("does not wait beyond the timeout of the call", async () => {
    await using cluster = await scriptedCluster();
    cluster.server.script = (_request, answer) =>
      answer.refuse(429, "TooManyRequests", "later", { "retry-after": "30" });
    const response = await cluster.transport.send({ ...patch, timeoutMs: 5_000 });
    expect(response).toMatchObject({ status: 429, retryAfterMs: 30_000 });
  });

  test("does not repeat a 5xx that does not request it", async () => {
    await using cluster = await scriptedCluster();
    cluster.server.script = (_request, answer) => answer.refuse(500, "InternalError", "no");
    expect((await cluster.transport.send(patch)).status).toBe(500);
    expect(cluster.server.requests).toHaveLength(1);
  });

  test.for([
    { method: "GET", tries: 2, outcome: "fulfilled" },
    { method: "PATCH", tries: 1, outcome: "rejected" },
  ] as const)(
    "sends a $method whose connection was lost $tries times",
    async ({ method, tries, outcome }) => {
      const clock = new FakeClock();
      await using cluster = await scriptedCluster({ clock });
      cluster.server.script = (_request, answer) =>
        cluster.server.requests.length === 1 ? answer.reset() : answer.json(200, {});
      const sending = Promise.allSettled([cluster.transport.send({ method, path })]);
      let isSettled = false;
      void sending.then(() => {
        isSettled = true;
      });
      await expect
        .poll(async () => {
          await clock.advance(500);
          return isSettled;
        })
        .toBe(true);
      const [{ status } = {}] = await sending;
      expect(status).toBe(outcome);
      expect(cluster.server.requests).toHaveLength(tries);
    },
  );

  test("fails after the timeout if the server does not respond", async () => {
    const clock = new FakeClock();
    await using cluster = await scriptedCluster({ clock });
    cluster.server.script = () => {};
    const sending = cluster.transport.send({ ...patch, timeoutMs: 5_000 }).catch((error: unknown) => error);
    await expect.poll(() => cluster.server.requests.length).toBe(1);
    await clock.advance(4_999);
    expect(clock.pendingDelaysMs).toEqual([1]);
    await clock.advance(1);
    const error = await sending;
    expect(error).toBeInstanceOf(ConnectionError);
    expect(String(error)).toMatch(/did not respond within 5 s$/);
  });

  test("never sends a request that was cancelled while it waited for a connection", async () => {
    const clock = new FakeClock();
    await using cluster = await scriptedCluster({ clock, transport: { connections: 1 } });
    const { promise: release, resolve } = Promise.withResolvers<void>();
    cluster.server.script = async (_request, answer) => {
      await release;
      answer.json(200, {});
    };
    const first = cluster.transport.send(patch);
    await expect.poll(() => cluster.server.requests.length).toBe(1);
    const second = cluster.transport.send({ ...patch, timeoutMs: 1_000 }).catch((error: unknown) => error);
    await expect.poll(() => clock.pendingDelaysMs.length).toBe(2);
    await clock.advance(1_000);
    expect(await second).toBeInstanceOf(ConnectionError);
    resolve();
    await first;
    await cluster.transport.send({ method: "GET", path });
    expect(cluster.server.requests.map(({ method }) => method)).toEqual(["PATCH", "GET"]);
  });

  test("checks the fence when the request is sent, not when it is queued", async () => {
    await using cluster = await scriptedCluster({ transport: { connections: 1 } });
    const { promise: release, resolve } = Promise.withResolvers<void>();
    cluster.server.script = async (_request, answer) => {
      await release;
      answer.json(200, {});
    };
    let isLeading = true;
    const beforeSend = () => {
      if (!isLeading) throw new NotLeadingError();
    };
    const first = cluster.transport.send({ ...patch, beforeSend });
    await expect.poll(() => cluster.server.requests.length).toBe(1);
    const second = cluster.transport.send({ ...patch, beforeSend }).catch((error: unknown) => error);
    isLeading = false;
    resolve();
    await first;
    expect(await second).toBeInstanceOf(NotLeadingError);
    expect(cluster.server.requests).toHaveLength(1);
  });

  test("counts every attempt for the metrics", async () => {
    const seen: object[] = [];
    const again: object[] = [];
    await using cluster = await scriptedCluster({
      transport: {
        onRequest: (request) => seen.push(request),
        onRetry: (request) => again.push(request),
      },
    });
    cluster.server.script = (_request, answer) =>
      cluster.server.requests.length === 1
        ? answer.refuse(429, "TooManyRequests", "no", { "retry-after": "0" })
        : answer.json(200, {});
    await cluster.transport.send(patch);
    await cluster.server[Symbol.asyncDispose]();
    await cluster.transport.send(patch).catch(() => {});
    const { host } = cluster.server.access.server;
    expect(seen).toEqual([
      { code: "429", method: "PATCH", host, tookMs: expect.any(Number) },
      { code: "200", method: "PATCH", host, tookMs: expect.any(Number) },
      { code: "<error>", method: "PATCH", host, tookMs: expect.any(Number) },
    ]);
    expect(again).toEqual([{ code: "429", method: "PATCH", host }]);
  });

  test("reports that no server listens, with the address", async () => {
    const cluster = await scriptedCluster();
    await cluster.server[Symbol.asyncDispose]();
    const error = await cluster.transport.send(patch).catch((thrown: unknown) => thrown);
    const { origin } = cluster.server.access.server;
    expect(error).toMatchObject({
      refused: true,
      message: `the API server at ${origin} is unreachable (ECONNREFUSED)`,
    });
    await cluster.transport.close();
  });
});
