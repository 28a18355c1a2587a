import { describe, expect, test } from "vitest";
import { ConfigError, environmentTwinOf, readOperatorConfig } from "../../operator/config.ts";

describe("readOperatorConfig()", () => {
  test("has the defaults of the documentation", () => {
    expect(readOperatorConfig({}, {})).toMatchObject({
      namespaces: [],
      workers: 16,
      repositoryBranch: "main",
      repositoryPath: "",
      leaderElect: false,
      leaseDuration: 15_000,
      renewDeadline: 10_000,
      retryPeriod: 2_000,
      metricsBindAddress: ":8080",
      healthProbeBindAddress: ":8081",
      logLevel: "info",
    });
  });

  test.for([
    {
      does: "prefers the command line to the environment",
      texts: { workers: "2" },
      env: { FAIRLEAD_WORKERS: "3" },
      gives: { workers: 2 },
    },
    {
      does: "reads an amount of memory as Kubernetes writes it",
      texts: { releaseMemory: "512Mi" },
      env: {},
      gives: { releaseMemory: 512 * 2 ** 20 },
    },
    {
      does: "prefers the environment to the default",
      texts: {},
      env: { FAIRLEAD_WORKERS: "3" },
      gives: { workers: 3 },
    },
    {
      does: "treats an empty variable as unset",
      texts: {},
      env: { FAIRLEAD_WORKERS: "" },
      gives: { workers: 16 },
    },
    {
      does: "splits namespaces of the environment",
      texts: {},
      env: { FAIRLEAD_NAMESPACE: "a,b" },
      gives: { namespaces: ["a", "b"] },
    },
    {
      does: "reads compound durations",
      texts: { leaseDuration: "1m30s" },
      env: {},
      gives: { leaseDuration: 90_000 },
    },
    {
      does: "reads a rule of a ReleasePolicy",
      texts: { releasePolicy: '{"publish":[{"branch":"env"}]}' },
      env: {},
      gives: { releasePolicy: { publish: [{ branch: "env" }] } },
    },
    {
      does: "removes the slash at the end of a path",
      texts: { repositoryPath: "clusters/one/" },
      env: {},
      gives: { repositoryPath: "clusters/one" },
    },
  ])("$does", ({ texts, env, gives }) => {
    expect(readOperatorConfig(texts, env)).toMatchObject(gives);
  });

  test.for([
    { wrong: "--workers", texts: { workers: "many" } },
    { wrong: "--lease-duration", texts: { leaseDuration: "15" } },
    { wrong: "--repository-path", texts: { repositoryPath: "../else" } },
    { wrong: "--repository-path", texts: { repositoryPath: "/etc" } },
    { wrong: "--repository-branch", texts: { repositoryBranch: "--upload-pack=x" } },
    { wrong: "--namespace", texts: { namespaces: ["No_Name"] } },
    { wrong: "--metrics-bind-address", texts: { metricsBindAddress: "8080" } },
    { wrong: "--leader-elect", texts: { leaderElect: "maybe" } },
    { wrong: "--log-level", texts: { logLevel: "loud" } },
    { wrong: "--release-policy", texts: { releasePolicy: "{" } },
    { wrong: "--release-policy", texts: { releasePolicy: '{"publsh":[]}' } },
  ])("names $wrong in $texts", ({ wrong, texts }) => {
    expect(() => readOperatorConfig(texts, {})).toThrow(ConfigError);
    expect(() => readOperatorConfig(texts, {})).toThrow(wrong);
  });

  test("names the variable where the environment is wrong", () => {
    expect(() => readOperatorConfig({}, { FAIRLEAD_WORKERS: "0" })).toThrow("FAIRLEAD_WORKERS");
  });

  test("names every wrong option at once", () => {
    const texts = { workers: "x", logLevel: "loud" };
    expect(() => readOperatorConfig(texts, {})).toThrow(/--workers[\s\S]*--log-level/);
  });

  test("refuses election times that do not fit together", () => {
    expect(() => readOperatorConfig({ leaseDuration: "5s" }, {})).toThrow(ConfigError);
  });
});

describe("environmentTwinOf()", () => {
  test("is the flag in upper case behind FAIRLEAD_", () => {
    expect(environmentTwinOf("leaseDuration")).toBe("FAIRLEAD_LEASE_DURATION");
  });
});
