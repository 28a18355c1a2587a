import { describe, expect, test } from "vitest";
import { RecordKey } from "../../../operator/cluster/record-key.ts";
import { ApiTransport } from "../../../operator/cluster/transport.ts";
import { systemClock } from "../../../operator/runtime/clock.ts";
import { FakeClock } from "../../fakes/fake-clock.ts";
import { lettingTimePass } from "../../fakes/letting-time-pass.ts";
import { RecordingLogger } from "../../fakes/recording-logger.ts";
import { type Script, ScriptedApiServer } from "../../fakes/scripted-api-server.ts";

const path = "/api/v1/namespaces/ops/secrets";
const metadata = { name: "lead-records", namespace: "ops", uid: "s1", resourceVersion: "7" };
const stored = (key?: string): Script => {
  const secret = { apiVersion: "v1", kind: "Secret", metadata, ...(key !== undefined && { data: { key } }) };
  return (_, answer) => answer.json(200, secret);
};
const absent: Script = (_, answer) => answer.refuse(404, "NotFound", "not found");
const done: Script = (_, answer) => answer.json(201, {});
const conflict: Script = (_, answer) => answer.refuse(409, "Conflict", "it was changed");
const forbidden: Script = (_, answer) =>
  answer.refuse(
    403,
    "Forbidden",
    'secrets "lead-records" is forbidden: User "lead" cannot get resource "secrets" in API group "" in the namespace "ops"',
  );
const key = Buffer.alloc(32, 1).toString("base64");

/** A key whose API server sends these responses in order; the last one repeats. */
async function aKey(...answers: readonly Script[]) {
  const server = await ScriptedApiServer.start({ protocol: "http" });
  let asked = 0;
  server.script = (request, answer) => answers[Math.min(asked++, answers.length - 1)]?.(request, answer);
  const transport = new ApiTransport(server.access, { clock: systemClock(), userAgent: "fairlead/test" });
  const clock = new FakeClock();
  const log = new RecordingLogger();
  const recordKey = new RecordKey({
    ...{ transport, clock, log },
    place: ["ops", "lead-records"],
    random: () => 0,
  });
  return {
    server,
    clock,
    log,
    recordKey,
    requests: () => server.requests.map(({ method, path: to }) => `${method} ${to}`),
    async [Symbol.asyncDispose]() {
      await transport.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

const { signal } = new AbortController();

describe("the key of records", () => {
  test("is that of the Secret, and makes the same seals in each instance", async () => {
    await using one = await aKey(stored(key));
    await using two = await aKey(stored(key));
    await Promise.all([one.recordKey.learn(signal), two.recordKey.learn(signal)]);
    expect(one.requests()).toEqual([`GET ${path}/lead-records`]);
    const seal = one.recordKey.sealOf("text") ?? "";
    expect(two.recordKey.isSealOf(seal, "text")).toBe(true);
    expect(two.recordKey.isSealOf(seal, "another text")).toBe(false);
    expect(two.recordKey.isSealOf("", "text")).toBe(false);
    expect(one.log.entries).toEqual([]);
  });

  test("is different from another key", async () => {
    await using one = await aKey(stored(key));
    await using other = await aKey(stored(Buffer.alloc(32, 2).toString("base64")));
    await Promise.all([one.recordKey.learn(signal), other.recordKey.learn(signal)]);
    expect(other.recordKey.isSealOf(one.recordKey.sealOf("text") ?? "", "text")).toBe(false);
  });

  test("is added to the Secret of the chart, if that is unchanged since it was read", async () => {
    await using bench = await aKey(stored(), done);
    await bench.recordKey.learn(signal);
    expect(bench.requests()).toEqual([`GET ${path}/lead-records`, `PATCH ${path}/lead-records`]);
    const sent = JSON.parse(bench.server.requests[1]?.body ?? "");
    expect(sent).toEqual({
      metadata: { uid: "s1", resourceVersion: "7" },
      data: { key: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/) },
    });
    await using other = await aKey(stored(sent.data.key));
    await other.recordKey.learn(signal);
    expect(other.recordKey.isSealOf(bench.recordKey.sealOf("text") ?? "", "text")).toBe(true);
  });

  test("is created where there is no Secret", async () => {
    await using bench = await aKey(absent, done);
    await bench.recordKey.learn(signal);
    expect(bench.requests()).toEqual([`GET ${path}/lead-records`, `POST ${path}`]);
    expect(bench.recordKey.sealOf("text")).toMatch(/^[\w-]{43}$/);
  });

  test.for([
    ["added one at the same time", [stored(), conflict, stored(key)]],
    ["created one at the same time", [absent, conflict, stored(key)]],
    [
      "deleted the Secret at the same time, and a third one has created it again",
      [stored(), absent, stored(key)],
    ],
  ] as const)("is that of another instance that has %s", async ([, answers]) => {
    await using bench = await aKey(...answers);
    await bench.recordKey.learn(signal);
    await using other = await aKey(stored(key));
    await other.recordKey.learn(signal);
    expect(bench.recordKey.sealOf("text")).toBe(other.recordKey.sealOf("text"));
    expect(bench.log.entries).toEqual([]);
  });

  test("is read again after an answer to its creation was lost", async () => {
    await using bench = await aKey(stored(), (_, answer) => answer.reset(), stored(key));
    const learned = bench.recordKey.learn(signal);
    await expect.poll(() => bench.clock.pendingDelaysMs).toEqual([800]);
    await bench.clock.advance(800);
    await learned;
    await using other = await aKey(stored(key));
    await other.recordKey.learn(signal);
    expect(bench.recordKey.sealOf("text")).toBe(other.recordKey.sealOf("text"));
  });

  test("is learned later, if that was not possible at the start", async () => {
    await using bench = await aKey(forbidden, stored(), done);
    await bench.recordKey.learn(signal);
    expect(bench.recordKey.sealOf("text")).toBeUndefined();
    await bench.recordKey.learn(signal);
    expect(bench.recordKey.sealOf("text")).toBeDefined();
    await bench.recordKey.learn(signal);
    expect(bench.requests()).toHaveLength(3);
  });

  test("is waited for while the API server is unavailable, because records may be sealed with it", async () => {
    await using bench = await aKey(
      (_, answer) => answer.refuse(500, "InternalError", "etcd is away"),
      stored(key),
    );
    const learned = bench.recordKey.learn(signal);
    await expect.poll(() => bench.clock.pendingDelaysMs).toEqual([800]);
    await bench.clock.advance(800);
    await learned;
    expect(bench.recordKey.sealOf("text")).toBeDefined();
    expect(bench.log.entries.map(({ message }) => message)).toEqual([
      "Waiting for the key of records",
      "Read the key of records",
    ]);
  });

  test.for<[string, readonly Script[], RegExp]>([
    ["may not be read", [forbidden], /user "lead" may not get "secrets"/],
    ["may not be added", [stored(), forbidden], /may not get "secrets"/],
    ["has no namespace", [absent, absent], /namespace "ops" does not exist/],
    ["has another length", [stored("c2hvcnQ=")], /does not have 32 bytes; remove it from the Secret/],
  ])("does not delay the start if it %s", async ([, answers, why]) => {
    await using bench = await aKey(...answers);
    await bench.recordKey.learn(signal);
    expect(bench.recordKey.sealOf("text")).toBeUndefined();
    expect(bench.recordKey.isSealOf("", "text")).toBe(false);
    expect(bench.log.entries).toEqual([
      {
        level: "warn",
        message: "Without the key of records, the first record of each Release needs one more request",
        fields: { why: expect.stringMatching(why) },
      },
    ]);
  });

  test("is waited for only a limited time, because only Secrets may be unavailable", async () => {
    await using bench = await aKey((_, answer) =>
      answer.refuse(500, "InternalError", "no key of encryption"),
    );
    const waits = await lettingTimePass(bench.clock, bench.recordKey.learn(signal));
    expect(waits).toEqual([800, 1_600, 3_200, 6_400, 12_800]);
    expect(bench.recordKey.sealOf("text")).toBeUndefined();
  });

  test("is not waited for when the operator stops", async () => {
    await using bench = await aKey(() => undefined);
    const stopping = new AbortController();
    const learned = bench.recordKey.learn(stopping.signal);
    await expect.poll(() => bench.server.requests.length).toBe(1);
    stopping.abort();
    await learned;
    expect(bench.log.entries).toEqual([]);
  });
});
