import { App } from "cdk8s";
import { describe, expect, test } from "vitest";
import { kinds } from "../../charts/bindings.ts";
import { OperatorChart, type OperatorValues } from "../../charts/operator-chart.ts";
import { operatorOptions, readOperatorConfig } from "../../operator/config.ts";

interface Made {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly [field: string]: unknown;
}

const install = (values: Partial<OperatorValues> = {}): readonly Made[] =>
  new OperatorChart(new App(), "operator", { kinds, values: { image: "fairlead:1", ...values } }).toJson();
const idsOf = (objects: readonly Made[]) =>
  objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? "-"}/${metadata.name}`);
const containerOf = (objects: readonly Made[]) => {
  const deployment = objects.find(({ kind }) => kind === "Deployment") as unknown as {
    spec: { template: { spec: { containers: [{ args: string[] }] } } };
  };
  return deployment.spec.template.spec.containers[0];
};
/** What `fairlead run` would make of the container's arguments. */
const configOf = (objects: readonly Made[]) => {
  const [command, ...args] = containerOf(objects).args;
  expect(command).toBe("run");
  const texts: Record<string, string | string[]> = {};
  for (const arg of args) {
    const [, flag = "", value = ""] = /^--([^=]+)=(.*)$/.exec(arg) ?? [];
    const [name, option] =
      Object.entries(operatorOptions).find(([, { flag: known }]) => known === flag) ?? [];
    if (name === undefined || option === undefined) throw new Error(`no option ${arg}`);
    texts[name] = "repeatable" in option ? [...(texts[name] ?? []), value] : value;
  }
  return readOperatorConfig(texts, {});
};

describe("OperatorChart", () => {
  test("installs the operator with a leader and a standby", () => {
    const objects = install();
    expect(idsOf(objects)).toEqual([
      "Namespace -/fairlead-system",
      "ServiceAccount fairlead-system/fairlead",
      "ClusterRole -/fairlead",
      "ClusterRoleBinding -/fairlead",
      "Role fairlead-system/fairlead-leader-election",
      "RoleBinding fairlead-system/fairlead-leader-election",
      "Deployment fairlead-system/fairlead",
    ]);
    expect(objects.at(-1)).toMatchObject({ spec: { replicas: 2 } });
    expect(configOf(objects)).toMatchObject({
      leaderElect: true,
      leaderElectNamespace: "fairlead-system",
      leaderElectId: "fairlead",
      metricsBindAddress: ":8080",
      healthProbeBindAddress: ":8081",
    });
  });

  test("runs restricted, probed, and with time to end", () => {
    const pod = {
      automountServiceAccountToken: true,
      terminationGracePeriodSeconds: 40,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
      containers: [
        {
          livenessProbe: { httpGet: { path: "/healthz", port: "health" } },
          readinessProbe: { httpGet: { path: "/readyz", port: "health" } },
          ports: [
            { name: "metrics", containerPort: 8080 },
            { name: "health", containerPort: 8081 },
          ],
          securityContext: {
            readOnlyRootFilesystem: true,
            allowPrivilegeEscalation: false,
            capabilities: { drop: ["ALL"] },
          },
        },
      ],
    };
    expect(install().at(-1)).toMatchObject({ spec: { template: { spec: pod } } });
  });

  test("gives one pod no Lease, no right to one, and no overlap, where no leader is elected", () => {
    const objects = install({ leaderElection: false });
    expect(idsOf(objects).join()).not.toContain("leader-election");
    expect(JSON.stringify(objects)).not.toContain("leases");
    expect(objects.at(-1)).toMatchObject({ spec: { replicas: 1, strategy: { type: "Recreate" } } });
    expect(configOf(objects).leaderElect).toBe(false);
    expect(() => install({ leaderElection: false, replicas: 2 })).toThrow(RangeError);
  });

  test("gives no rights outside the namespaces that it watches", () => {
    const objects = install({ watchedNamespaces: ["a", "b"] });
    const bindings = objects.filter(({ kind }) => kind.endsWith("Binding"));
    expect(idsOf(bindings)).toEqual([
      "RoleBinding a/fairlead",
      "RoleBinding b/fairlead",
      "ClusterRoleBinding -/fairlead-cluster",
      "RoleBinding fairlead-system/fairlead-leader-election",
    ]);
    const cluster = objects.find(({ metadata }) => metadata.name === "fairlead-cluster");
    expect(cluster?.["rules"]).toEqual([
      { apiGroups: [""], resources: ["namespaces"], verbs: ["get", "list", "watch"] },
    ]);
    expect(configOf(objects).namespaces).toEqual(["a", "b"]);
  });

  test("hands repository and credentials on", () => {
    const repository = {
      url: "https://git.test/r.git",
      branch: "live",
      path: "east",
      credentialsSecret: "git",
    };
    const objects = install({ repository, logLevel: "debug", name: "lead", namespace: "ops" });
    expect(configOf(objects)).toMatchObject({
      repository: repository.url,
      repositoryBranch: "live",
      repositoryPath: "east",
      repositoryCredentials: "/etc/fairlead/repository",
      logLevel: "debug",
      leaderElectId: "lead",
    });
    expect(objects.at(-1)).toMatchObject({
      metadata: { name: "lead", namespace: "ops" },
      spec: {
        template: {
          spec: {
            containers: [{ volumeMounts: [{ name: "tmp" }, { name: "repository", readOnly: true }] }],
            volumes: [{ name: "tmp" }, { name: "repository", secret: { secretName: "git" } }],
          },
        },
      },
    });
  });
});
