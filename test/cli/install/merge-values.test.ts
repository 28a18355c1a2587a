import { describe, expect, test } from "vitest";
import { mergeValues, toSettings } from "../../../cli/install/merge-values.ts";

describe("mergeValues()", () => {
  const earlier = { replicas: 3, repository: { url: "/r", branch: "env" }, watchedNamespaces: ["a", "b"] };

  test.for([
    [{}, earlier],
    [{ replicas: 1 }, { ...earlier, replicas: 1 }],
    [{ repository: { branch: "live" } }, { ...earlier, repository: { url: "/r", branch: "live" } }],
    [{ watchedNamespaces: ["c"] }, { ...earlier, watchedNamespaces: ["c"] }],
    [{ repository: null, replicas: null }, { watchedNamespaces: ["a", "b"] }],
    [
      { repository: { branch: null } },
      { replicas: 3, repository: { url: "/r" }, watchedNamespaces: ["a", "b"] },
    ],
    [{ logLevel: null }, earlier],
    [
      { releases: { hooks: { secret: null } }, podLabels: {} },
      { ...earlier, podLabels: {} },
    ],
    [
      { releases: { hooks: { secret: null, enabled: false } } },
      { ...earlier, releases: { hooks: { enabled: false } } },
    ],
    [{ repository: "text" }, { ...earlier, repository: "text" }],
  ] as const)("merges %j into earlier values", ([given, merged]) => {
    expect(mergeValues(earlier, given)).toEqual(merged);
  });
});

describe("toSettings()", () => {
  test("writes each single value in the form of --set", () => {
    expect(
      toSettings({
        replicas: 3,
        labels: { "a.b/c": "x" },
        releases: { policy: { sources: [] } },
        podLabels: {},
      }),
    ).toEqual(["replicas=3", "labels.a\\.b/c=x", "releases.policy.sources=[]", "podLabels={}"]);
  });
});
