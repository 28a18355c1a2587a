import { App } from "cdk8s";
import { describe, expect, test } from "vitest";
import { OperatorChart } from "../../../charts/operator-chart.ts";
import { commonKinds } from "../../../charts/values/release-values.ts";
import { deriveValues } from "../../../cli/install/derive-values.ts";
import { operatorRulesOf } from "../../../constructs/operator-role.ts";

const kinds = ["echos.mmontes.io", "memcacheds.cache.example.com"];

/** The container of the release of 21 November 2026 without any values. */
const formerArgs = [
  "run",
  "--leader-elect=true",
  "--leader-elect-namespace=fairlead-system",
  "--leader-elect-id=fairlead",
  "--lease-duration=15s",
  "--renew-deadline=10s",
  "--retry-period=2s",
  "--fence=fairlead.fairlead-system.ownership",
  "--fence=fairlead.fairlead-system.leadership",
  "--workers=16",
  "--log-level=info",
];
const former = {
  args: formerArgs,
  replicas: 2,
  imagePullPolicy: "IfNotPresent",
  imagePullSecrets: [],
  rules: [],
  clusterRules: [],
  neededRules: [],
  credentialsSecret: undefined,
  shipped: kinds,
  defined: kinds,
};
/** The same with `releases.enabled`. */
const formerReleases = {
  ...former,
  args: [
    ...formerArgs,
    "--releases=true",
    "--release-program-timeout=5m",
    "--zone-sockets=/run/fairlead/zones",
  ],
  rules: commonKinds.map(({ group, resource }) => ({
    apiGroups: [group],
    resources: [resource],
    verbs: ["get", "list", "watch", "create", "patch", "delete"],
  })),
};

describe("deriveValues()", () => {
  test("keeps the shipped kinds, and Releases off, if these were the defaults of an earlier release", () => {
    expect(deriveValues(former)).toEqual({ samples: { enabled: true }, releases: { enabled: false } });
  });

  test("keeps the operator's own permissions for Releases, and adds none", () => {
    expect(deriveValues(formerReleases)).toEqual({
      samples: { enabled: true },
      releases: { requireServiceAccount: false, impersonate: false },
    });
  });

  test("keeps the kinds that are defined, or that the program's options list", () => {
    const releases = { enabled: false };
    expect(deriveValues({ ...former, defined: ["echos.mmontes.io"] })).toEqual({
      kinds: ["echos.mmontes.io"],
      releases,
    });
    expect(deriveValues({ ...former, args: [...formerArgs, "--kinds=none"] })).toEqual({ releases });
    expect(deriveValues({ ...former, args: [...formerArgs, "--kinds=echos.mmontes.io"] })).toEqual({
      kinds: ["echos.mmontes.io"],
      releases,
    });
  });

  test("derives all values that the objects show", () => {
    const values = {
      kinds: ["Echo"],
      workers: 3,
      logLevel: "debug",
      watchedNamespaces: ["a", "b"],
      leaderElection: { leaseDuration: "30s", renewDeadline: "20s" },
      repository: { url: "https://git.test/r.git", branch: "env", path: "east", credentialsSecret: "git" },
      monitoring: { enabled: false },
      releases: {
        watchAll: true,
        serviceAccounts: ["deployer"],
        commonKinds: false,
        programTimeout: "1m",
        requireSandbox: true,
        policy: { sources: ["https://git.test/"] },
      },
    } as const;
    const objects = new OperatorChart(new App(), "operator", {
      kinds: [],
      kindsOption: "Echo",
      values: {
        ...values,
        kinds: ["Echo"],
        image: "x",
        watchedNamespaces: ["a", "b"],
        releases: {
          ...values.releases,
          serviceAccounts: ["deployer"],
          policy: { sources: ["https://git.test/"] },
        },
      },
    }).toJson();
    const [{ args }] = objects.find(({ kind }) => kind === "Deployment").spec.template.spec.containers;
    const { rules } = objects.find(({ kind }) => kind === "Role");
    const neededRules = operatorRulesOf([], {
      releases: { kinds: [], watchAll: false, readSecrets: false, impersonate: false, serviceAccounts: [] },
    }).namespaced;
    expect(deriveValues({ ...former, args, rules, neededRules, credentialsSecret: "git" })).toEqual(values);
  });
});
