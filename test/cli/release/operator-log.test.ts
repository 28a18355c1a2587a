import { describe, expect, test } from "vitest";
import { ApiClient } from "../../../cli/release/api-client.ts";
import { findOperatorPods, formatLogLine, readLogs } from "../../../cli/release/operator-log.ts";
import type { ApiRequest } from "../../../operator/cluster/transport.ts";
import { FakeApi } from "./fake-api.ts";

const record = {
  level: "info",
  time: "2026-01-01T00:00:01.500Z",
  controller: "release",
  kind: "Release",
  namespace: "shop",
  name: "web",
  reconcileID: "1",
  done: "Restored",
  message: "Restored an object",
};
const lineOf = (fields: object) => ({ time: "t", pod: "fairlead-1", text: JSON.stringify(fields) });
const web = { namespace: "shop", name: "web" };

describe("formatLogLine()", () => {
  test("shows what is said about a Release, without its name in each line", () => {
    expect(formatLogLine(lineOf(record), { release: web, level: "info" })).toBe(
      "00:00:01.500 INFO  Restored an object  done=Restored",
    );
  });

  test.for([
    { what: "another Release", fields: { name: "other" } },
    { what: "another kind of the same name", fields: { kind: "Echo" } },
    { what: "a lower level", fields: { level: "debug" } },
  ])("leaves out $what", ({ fields }) => {
    expect(formatLogLine(lineOf({ ...record, ...fields }), { release: web, level: "info" })).toBeUndefined();
  });

  test("without a Release shows all of the level, and what is no record", () => {
    expect(formatLogLine(lineOf(record), { release: undefined, level: "info" })).toContain(
      "kind=Release  namespace=shop  name=web  done=Restored  pod=fairlead-1",
    );
    const panic = { time: "t", pod: "p", text: "FATAL ERROR: out of memory" };
    expect(formatLogLine(panic, { release: undefined, level: "error" })).toBe("FATAL ERROR: out of memory");
    expect(formatLogLine(panic, { release: web, level: "info" })).toBeUndefined();
  });
});

describe("readLogs()", () => {
  const pods = ["a", "b"].map((name) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "fairlead" },
  }));
  const logs: Readonly<Record<string, string>> = {
    a: "2026-01-01T00:00:01.5Z one\n2026-01-01T00:00:03.1Z three\n",
    b: "2026-01-01T00:00:02.0Z two\n",
  };

  test("merges the logs of all pods by time, and passes over what was seen", async () => {
    const asked: string[] = [];
    const transport = {
      send: async ({ path }: ApiRequest) => {
        asked.push(path);
        const [, pod = ""] = /\/pods\/(\w)\/log/.exec(path) ?? [];
        return { status: 200, body: logs[pod] ?? "", retryAfterMs: undefined };
      },
    };
    const read = async (since?: string) =>
      (await readLogs(pods, { transport, tail: 10, since })).map(({ text }) => text);
    expect(await read()).toEqual(["one", "two", "three"]);
    expect(asked[0]).toBe(
      "/api/v1/namespaces/fairlead/pods/a/log?container=operator&timestamps=true&tailLines=10",
    );
    expect(await read("2026-01-01T00:00:02.0Z")).toEqual(["three"]);
    expect(asked[2]).toContain("sinceTime=2026-01-01T00%3A00%3A02Z");
  });

  test("says what is missing where there is no operator in the cluster", async () => {
    await expect(findOperatorPods(new ApiClient(new FakeApi({})))).rejects.toThrow(
      /no pod in this cluster has the label app.kubernetes.io\/name=fairlead.*fairlead start names the file/,
    );
  });
});
