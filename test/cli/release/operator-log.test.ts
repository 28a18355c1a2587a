import { describe, expect, test } from "vitest";
import { ApiClient } from "../../../cli/release/api-client.ts";
import { findOperatorPods, formatLogLine } from "../../../cli/release/operator-log.ts";
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
  test("shows lines about a Release, without its name in each line", () => {
    expect(formatLogLine(lineOf(record), { release: web, level: "info" })).toBe(
      "00:00:01.500 INFO  Restored an object  done=Restored",
    );
  });

  test.for([
    { what: "another Release", fields: { name: "other" } },
    { what: "another kind of the same name", fields: { kind: "Echo" } },
    { what: "a lower level", fields: { level: "debug" } },
  ])("omits $what", ({ fields }) => {
    expect(formatLogLine(lineOf({ ...record, ...fields }), { release: web, level: "info" })).toBeUndefined();
  });

  test("without a Release shows all lines of the level, and lines that are not records", () => {
    expect(formatLogLine(lineOf(record), { release: undefined, level: "info" })).toContain(
      "kind=Release  namespace=shop  name=web  done=Restored  pod=fairlead-1",
    );
    const panic = { time: "t", pod: "p", text: "FATAL ERROR: out of memory" };
    expect(formatLogLine(panic, { release: undefined, level: "error" })).toBe("FATAL ERROR: out of memory");
    expect(formatLogLine(panic, { release: web, level: "info" })).toBeUndefined();
  });
});

describe("findOperatorPods()", () => {
  test("reports that there is no operator in the cluster", async () => {
    await expect(findOperatorPods(new ApiClient(new FakeApi({})))).rejects.toThrow(
      /no pod in this cluster has the label app.kubernetes.io\/name=fairlead.*fairlead start names the file/,
    );
  });

  test("names the missing permission if the user may not list pods", async () => {
    const api = new FakeApi({}, { forbidden: ["/api/v1/pods"] });
    await expect(findOperatorPods(new ApiClient(api))).rejects.toThrow(
      /^Cannot read "pods": no\. Finding the operator's pods .* right to list pods .*kubectl logs .*--container=operator$/,
    );
  });
});
