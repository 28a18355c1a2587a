import { expect, test } from "vitest";
import type { LiveObject } from "../../../crds/object.ts";
import { ClusterUid, UnnamedClusterError } from "../../../operator/cluster/cluster-uid.ts";
import { KubeCluster } from "../../../operator/cluster/kube-cluster.ts";
import { ApiTransport } from "../../../operator/cluster/transport.ts";
import { ApiUnavailableError } from "../../../operator/errors.ts";
import type { Cluster } from "../../../operator/ports.ts";
import { systemClock } from "../../../operator/runtime/clock.ts";
import { FakeClock } from "../../fakes/fake-clock.ts";
import { lettingTimePass } from "../../fakes/letting-time-pass.ts";
import { RecordingLogger } from "../../fakes/recording-logger.ts";
import { type Script, ScriptedApiServer } from "../../fakes/scripted-api-server.ts";

const kubeSystem = {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "kube-system", uid: "7d0a", resourceVersion: "5" },
};
const found: Script = (_, answer) => answer.json(200, kubeSystem);
const refusal =
  'namespaces "kube-system" is forbidden: User "system:serviceaccount:ops:lead" cannot get resource "namespaces" ' +
  'in API group "" in the namespace "kube-system"';

/** Sends requests to a server with these responses in order; the last one repeats. Waits take no time. */
async function asking(...answers: readonly Script[]) {
  const server = await ScriptedApiServer.start({ protocol: "http" });
  let asked = 0;
  server.script = (request, answer) => answers[Math.min(asked++, answers.length - 1)]?.(request, answer);
  const transport = new ApiTransport(server.access, { clock: systemClock(), userAgent: "fairlead/test" });
  const clock = new FakeClock();
  const log = new RecordingLogger();
  const cluster = new KubeCluster({ transport, fence: { check() {} }, clock: systemClock() });
  const uid = new ClusterUid({ cluster, clock, random: () => 0, log });
  return {
    uid,
    server,
    clock,
    log,
    async [Symbol.asyncDispose]() {
      await transport.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

test("the uid is requested once, and nothing is logged, if the API server responds", async () => {
  await using bench = await asking(found);
  await bench.uid.learn(new AbortController().signal);
  expect(bench.uid.value).toBe("7d0a");
  expect(bench.server.requests.map(({ path }) => path)).toEqual(["/api/v1/namespaces/kube-system"]);
  expect(bench.log.entries).toEqual([]);
});

test("an overloaded API server is retried with backoff, with one log message", async () => {
  await using bench = await asking(
    (_, answer) => answer.refuse(503, "ServiceUnavailable", "starting"),
    (_, answer) => answer.refuse(500, "InternalError", "etcd is away"),
    (_, answer) => answer.refuse(429, "TooManyRequests", "busy"),
    (_, answer) => answer.refuse(401, "Unauthorized", "no authenticator yet"),
    (_, answer) => answer.refuse(504, "Timeout", "slow"),
    found,
  );
  const waits = await lettingTimePass(bench.clock, bench.uid.learn(new AbortController().signal));
  expect(waits).toEqual([800, 1_600, 3_200, 6_400, 12_800]);
  expect(bench.uid.value).toBe("7d0a");
  expect(bench.log.entries.map(({ level, message, fields }) => [level, message, fields])).toEqual([
    ["warn", "Waiting for the uid of kube-system", { why: expect.stringContaining("503: starting") }],
    ["info", "Read the uid of kube-system", {}],
  ]);
});

test("the delay that a server requests is observed", async () => {
  const clock = new FakeClock();
  const failures = [new ApiUnavailableError("busy", { status: 503, retryAfterMs: 20_000 })];
  const read: Cluster["read"] = async () => {
    const failure = failures.pop();
    if (failure !== undefined) throw failure;
    return kubeSystem as unknown as LiveObject;
  };
  const cluster = { until: () => ({ read }) as Cluster };
  const uid = new ClusterUid({ cluster, clock, random: () => 0, log: new RecordingLogger() });
  expect(await lettingTimePass(clock, uid.learn(new AbortController().signal))).toEqual([20_000]);
  expect(uid.value).toBe("7d0a");
});

test("an unreachable API server is retried", async () => {
  await using bench = await asking(found);
  const { clock, log } = bench;
  const transport = new ApiTransport(
    { ...bench.server.access, server: new URL("http://127.0.0.1:1") },
    { clock: systemClock(), userAgent: "fairlead/test" },
  );
  const cluster = new KubeCluster({ transport, fence: { check() {} }, clock });
  const uid = new ClusterUid({ cluster, clock, random: () => 0, log });
  const stopping = new AbortController();
  const learning = uid.learn(stopping.signal);
  await expect.poll(() => clock.pendingDelaysMs).toEqual([800]);
  expect(log.entries[0]?.fields).toEqual({
    why: expect.stringMatching(/is unreachable \(ECONNREFUSED\)/),
  });
  stopping.abort();
  await learning;
  await transport.close();
  expect(() => uid.value).toThrow("has not been read yet");
  expect(log.entries).toHaveLength(1);
});

test("a hanging request ends when the operator stops", async () => {
  await using bench = await asking(() => undefined);
  const stopping = new AbortController();
  const learning = bench.uid.learn(stopping.signal);
  await expect.poll(() => bench.server.requests.length).toBe(1);
  stopping.abort();
  await learning;
  expect(bench.log.entries).toEqual([]);
});

test("a missing permission is an error that names it, and not retried", async () => {
  await using bench = await asking((_, answer) => answer.refuse(403, "Forbidden", refusal));
  const learning = bench.uid.learn(new AbortController().signal);
  await expect(learning).rejects.toThrow(UnnamedClusterError);
  await expect(learning).rejects.toThrow(
    "Cannot use the repository: it needs the uid of the namespace kube-system to identify this cluster. " +
      'Cannot read "/Namespace//kube-system": user "system:serviceaccount:ops:lead" may not get "namespaces" of API group "" ' +
      'in the namespace "kube-system"; bind a role with this verb to it',
  );
  expect(bench.server.requests).toHaveLength(1);
});

test("a cluster without kube-system cannot be identified", async () => {
  await using bench = await asking((_, answer) => answer.refuse(404, "NotFound", "not found"));
  await expect(bench.uid.learn(new AbortController().signal)).rejects.toThrow("The namespace does not exist");
});
