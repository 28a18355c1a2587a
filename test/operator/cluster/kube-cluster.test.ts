import { describe, expect, test } from "vitest";
import { KubeCluster } from "../../../operator/cluster/kube-cluster.ts";
import { FakeClock } from "../../fakes/fake-clock.ts";
import { aConfigMap, configMaps, scriptedCluster } from "./fixture.ts";

const create = { mode: "create" } as const;
const lost = new Error("The lease was lost");

describe("KubeCluster.until()", () => {
  test("ends running requests when the signal aborts, with its reason, and sends nothing more", async () => {
    const clock = new FakeClock();
    await using server = await scriptedCluster({ clock });
    server.server.script = () => {};
    const ending = new AbortController();
    const cluster = new KubeCluster({ transport: server.transport, clock, fence: { check() {} } });
    const bound = cluster.until(ending.signal);

    const under = bound.apply(configMaps, aConfigMap("a"), create).catch((error: unknown) => error);
    await expect.poll(() => server.server.requests.length).toBe(1);
    ending.abort(lost);
    expect(await under).toBe(lost);

    const ref = { kind: configMaps, namespace: "shop", name: "a" };
    await expect(bound.patchStatus(ref, "uid", {})).rejects.toBe(lost);
    await expect(bound.read(ref)).rejects.toBe(lost);
    expect(server.server.requests).toHaveLength(1);
    // Other reconciles continue.
    server.server.script = (_request, answer) => answer.json(200, aConfigMap("a"));
    expect(await cluster.read(ref)).toMatchObject({ kind: "ConfigMap" });
  });

  test("does not retry when the server requests a repetition later", async () => {
    const clock = new FakeClock();
    await using server = await scriptedCluster({ clock });
    server.server.script = (_request, answer) =>
      answer.refuse(429, "TooManyRequests", "later", { "retry-after": "5" });
    const ending = new AbortController();
    const cluster = new KubeCluster({ transport: server.transport, clock, fence: { check() {} } });
    const applying = cluster
      .until(ending.signal)
      .apply(configMaps, aConfigMap("a"), create)
      .catch((error: unknown) => error);
    await expect.poll(() => clock.pendingDelaysMs).toContain(5_000);
    ending.abort(lost);
    expect(await applying).toBe(lost);
    expect(server.server.requests).toHaveLength(1);
  });
});

test("a dry run of an addition changes nothing on the server", async () => {
  const clock = new FakeClock();
  await using server = await scriptedCluster({ clock });
  server.server.script = (_request, answer) => answer.json(200, aConfigMap("a"));
  const cluster = new KubeCluster({
    ...{ transport: server.transport, clock, fence: { check() {} } },
    dryRun: true,
  });
  const addition = { kind: configMaps, manifest: aConfigMap("a"), selector: undefined, fieldManager: "x" };
  await cluster.add(addition, { uid: "1" });
  await cluster.apply(configMaps, aConfigMap("a"), create);
  expect(server.server.requests.map(({ query }) => query.get("dryRun"))).toEqual(["All", "All"]);
});
