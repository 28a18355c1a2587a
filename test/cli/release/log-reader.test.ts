import { expect, test } from "vitest";
import { LogReader } from "../../../cli/release/log-reader.ts";
import type { ApiRequest } from "../../../operator/cluster/transport.ts";

/** Pods with logs; each pod's name is one letter. A pod without a log cannot be read. */
function somePods(logs: Record<string, string | undefined>) {
  const asked: string[] = [];
  const transport = {
    send: async ({ path }: ApiRequest) => {
      asked.push(path);
      const [, pod = ""] = /\/pods\/(\w)\/log/.exec(path) ?? [];
      const log = logs[pod];
      const refusal = JSON.stringify({ kind: "Status", message: `container of ${pod} is waiting to start` });
      return { status: log === undefined ? 400 : 200, body: log ?? refusal, retryAfterMs: undefined };
    },
  };
  const pods = ["a", "b"].map((name) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "fairlead" },
  }));
  const reader = new LogReader({ transport, tail: 10 });
  return {
    asked,
    async read() {
      const { lines, failures } = await reader.read(pods);
      return { lines: lines.map(({ text }) => text), failures };
    },
  };
}

const logOfA = "2026-01-01T00:00:01.5Z one\n2026-01-01T00:00:03.1Z three\n";

test("merges the logs of all pods by time", async () => {
  const { read, asked } = somePods({ a: logOfA, b: "2026-01-01T00:00:02.0Z two\n" });
  expect(await read()).toEqual({ lines: ["one", "two", "three"], failures: [] });
  expect(asked[0]).toBe(
    "/api/v1/namespaces/fairlead/pods/a/log?container=operator&timestamps=true&tailLines=10",
  );
});

test("continues with the new lines of each pod, for any number of lines, also if another pod wrote later ones", async () => {
  const logs = { a: logOfA, b: "2026-01-01T00:00:02.0Z two\n" };
  const { read, asked } = somePods(logs);
  await read();
  logs.b += "2026-01-01T00:00:02.5Z late\n";
  expect(await read()).toEqual({ lines: ["late"], failures: [] });
  const since = "/log?container=operator&timestamps=true&sinceTime=2026-01-01T00%3A00%3A0";
  expect(asked.slice(2)).toEqual([
    `/api/v1/namespaces/fairlead/pods/a${since}3Z`,
    `/api/v1/namespaces/fairlead/pods/b${since}2Z`,
  ]);
});

test("converts times of a node in another time zone to UTC", async () => {
  const { read, asked } = somePods({ a: "2026-01-01T02:00:01.123456789+02:00 one\n", b: "" });
  await read();
  await read();
  expect(asked[2]).toContain("sinceTime=2026-01-01T00%3A00%3A01Z");
});

test("shows the kubelet's message instead of a log once", async () => {
  const { read } = somePods({ a: "unable to retrieve container logs for containerd://1", b: "" });
  expect((await read()).lines).toEqual(["unable to retrieve container logs for containerd://1"]);
  expect(await read()).toEqual({ lines: [], failures: [] });
});

test("shows the logs of the others if one cannot be read, and reports why once", async () => {
  const logs: Record<string, string | undefined> = { a: logOfA };
  const { read, asked } = somePods(logs);
  const why = 'Cannot read "the log of Pod fairlead/b": container of b is waiting to start';
  expect(await read()).toEqual({ lines: ["one", "three"], failures: [why] });
  expect(await read()).toEqual({ lines: [], failures: [] });
  logs["b"] = "2026-01-01T00:00:02.0Z two\n";
  expect(await read()).toEqual({ lines: ["two"], failures: [] });
  expect(asked.at(-1)).toContain("/pods/b/log?container=operator&timestamps=true&tailLines=10");
});

test("fails if none can be read", async () => {
  await expect(somePods({}).read()).rejects.toThrow(/Pod fairlead\/a.*\n.*Pod fairlead\/b/);
});
