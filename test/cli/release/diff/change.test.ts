import { describe, expect, test } from "vitest";
import { changeOf } from "../../../../cli/release/diff/change.ts";
import type { KubernetesObject } from "../../../../crds/object.ts";

const id = "/ConfigMap/shop/web";

function aConfigMap(data: object, metadata: object = {}): KubernetesObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "web", namespace: "shop", ...metadata },
    data,
  };
}

describe("changeOf()", () => {
  test("compares fields that a user set, not those of the server or the operator's stamps", () => {
    const before = aConfigMap(
      { a: "1" },
      {
        uid: "x",
        resourceVersion: "7",
        generation: 3,
        creationTimestamp: "2026-01-01T00:00:00Z",
        managedFields: [{}],
        labels: { "fairlead.dev/set": "s", app: "web" },
        annotations: { "fairlead.dev/digest": "d", "kubectl.kubernetes.io/last-applied-configuration": "{}" },
      },
    );
    const after = { ...aConfigMap({ a: "1" }, { labels: { app: "web" } }), status: {} };
    expect(changeOf({ id, before, after })).toEqual({ action: "unchanged", id, diff: "", note: undefined });
  });

  test("shows the lines that differ as a unified diff", () => {
    const { action, diff } = changeOf({
      id,
      before: aConfigMap({ a: "1", b: "2" }),
      after: aConfigMap({ a: "1", b: "3" }),
    });
    expect(action).toBe("change");
    expect(diff).toBe(
      [
        "--- live/ConfigMap shop/web",
        "+++ release/ConfigMap shop/web",
        "@@ -1,7 +1,7 @@",
        " apiVersion: v1",
        " data:",
        '   a: "1"',
        '-  b: "2"',
        '+  b: "3"',
        " kind: ConfigMap",
        " metadata:",
        "   name: web",
        "",
      ].join("\n"),
    );
  });

  test.for([
    { action: "create", before: undefined, after: aConfigMap({}) },
    { action: "delete", before: aConfigMap({}), after: undefined },
  ])("calls it $action when one side does not exist", ({ action, before, after }) => {
    const change = changeOf({ id, before, after });
    expect(change.action).toBe(action);
    expect(change.diff).toContain("/dev/null");
  });

  test("reports that more differs than can be compared", () => {
    const lines = (word: string) => Array.from({ length: 2_000 }, (_, line) => `${word}${line}`).join("\n");
    const { action, diff } = changeOf({
      id,
      before: aConfigMap({ a: lines("x") }),
      after: aConfigMap({ a: lines("y") }),
    });
    expect([action, diff.split("\n").at(-2)]).toEqual([
      "change",
      "They differ in more lines than can be compared",
    ]);
  });
});
