import { describe, expect, test } from "vitest";
import { KubeLeaseClient } from "../../../operator/cluster/lease-client.ts";
import { FakeClock } from "../../fakes/fake-clock.ts";
import { type Script, ScriptedApiServer } from "../../fakes/scripted-api-server.ts";
import { unlimited } from "./fixture.ts";

const lease = {
  metadata: { name: "fairlead", uid: "u", resourceVersion: "7" },
  spec: { holderIdentity: "me" },
};
const path = "/apis/coordination.k8s.io/v1/namespaces/system/leases";
const options = { signal: unlimited };

async function aLeaseClient(script: Script) {
  const clock = new FakeClock();
  const server = await ScriptedApiServer.start();
  server.script = script;
  const client = new KubeLeaseClient({
    access: server.access,
    clock,
    namespace: "system",
    name: "fairlead",
    userAgent: "fairlead/test",
    renewDeadlineMs: 10_000,
  });
  return {
    clock,
    server,
    client,
    async [Symbol.asyncDispose]() {
      await client.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

describe("KubeLeaseClient", () => {
  test("reads, creates and replaces the one Lease", async () => {
    await using run = await aLeaseClient((_request, answer) => answer.json(200, lease));
    expect(await run.client.get(options)).toEqual(lease);
    await run.client.create({ holderIdentity: "me" }, options);
    await run.client.replace(lease, options);
    expect(run.server.requests).toMatchObject([
      { method: "GET", path: `${path}/fairlead` },
      { method: "POST", path },
      { method: "PUT", path: `${path}/fairlead` },
    ]);
    const [, create, replace] = run.server.requests.map(({ body }) => (body === "" ? {} : JSON.parse(body)));
    const head = { apiVersion: "coordination.k8s.io/v1", kind: "Lease" };
    expect(create).toEqual({
      ...head,
      metadata: { name: "fairlead", namespace: "system" },
      spec: lease.spec,
    });
    expect(replace).toEqual({ ...head, ...lease });
    expect(run.server.requests[0]?.headers["user-agent"]).toBe("fairlead/test leader-election");
  });

  test("distinguishes an absent Lease from an unreadable one", async () => {
    await using run = await aLeaseClient((_request, answer) => answer.refuse(404, "NotFound", "none"));
    expect(await run.client.get(options)).toBeUndefined();
    await expect(run.client.replace(lease, options)).rejects.toMatchObject({ status: 404 });
    run.server.script = (_request, answer) => answer.refuse(409, "Conflict", "somebody was faster");
    await expect(run.client.replace(lease, options)).rejects.toMatchObject({
      status: 409,
      message: 'Cannot replace lease "system/fairlead": somebody was faster',
    });
  });

  test("limits one request to half of the renew deadline, and uses a new connection for the next one", async () => {
    await using run = await aLeaseClient((_request, answer) => {
      if (run.server.requests.length > 1) answer.json(200, lease);
    });
    const hanging = run.client.get(options).catch((error: unknown) => error);
    await expect.poll(() => run.server.requests.length).toBe(1);
    expect(run.clock.pendingDelaysMs).toEqual([5_000]);
    await run.clock.advance(5_000);
    expect(String(await hanging)).toMatch(/did not respond within 5 s$/);
    expect(await run.client.get(options)).toEqual(lease);
    expect(run.server.line.accepted).toBe(2);
  });

  test("leaves retries to the election", async () => {
    await using run = await aLeaseClient((_request, answer) =>
      answer.refuse(429, "TooManyRequests", "no", { "retry-after": "0" }),
    );
    await expect(run.client.get(options)).rejects.toMatchObject({ status: 429 });
    expect(run.server.requests).toHaveLength(1);
  });

  test("stops on request", async () => {
    await using run = await aLeaseClient(() => {});
    const cancel = new AbortController();
    const hanging = run.client.get({ signal: cancel.signal });
    await expect.poll(() => run.server.requests.length).toBe(1);
    cancel.abort();
    await expect(hanging).rejects.toThrow("cancelled");
  });
});
