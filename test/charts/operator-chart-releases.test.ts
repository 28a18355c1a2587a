import { App } from "cdk8s";
import { describe, expect, test } from "vitest";
import { kinds } from "../../charts/bindings.ts";
import { CrdsChart } from "../../charts/crds-chart.ts";
import { installChart } from "../../charts/install-chart.ts";
import { configOf, idOf, install, type Made, podOf, the } from "./operator-install.ts";

const idsOf = (objects: readonly Made[]) => objects.map(idOf);

describe("OperatorChart", () => {
  test("has nothing for Releases unless they are enabled", () => {
    const objects = install();
    expect(JSON.stringify(objects)).not.toMatch(/releases|impersonate|hooks|"resources":\["\*"\]/);
    expect(configOf(objects).releases).toBe(false);
    expect(idsOf(new CrdsChart(new App(), "crds", { kinds }).toJson()).join()).not.toMatch(/release/i);
  });

  test("passes on the settings of Releases: a cache, git hosts, and accounts to impersonate", () => {
    const objects = install({
      releases: {
        enabled: true,
        impersonate: true,
        requireServiceAccount: true,
        policy: { publish: [{ branch: "env/*", path: "prod" }] },
        cacheSize: "1Gi",
        gitPorts: [443, 2222],
      },
    });
    expect(configOf(objects)).toMatchObject({
      releases: true,
      releaseRequireServiceAccount: true,
      releasePolicy: { publish: [{ branch: "env/*", path: "prod" }] },
      hookBindAddress: "0",
    });
    expect(podOf(objects).spec).toMatchObject({
      containers: [
        { name: "operator" },
        { name: "sandbox" },
        {
          name: "source",
          args: expect.arrayContaining(["--cache=/var/cache/fairlead"]),
          volumeMounts: [{}, { name: "releases", mountPath: "/var/cache/fairlead" }],
        },
      ],
      volumes: [{}, {}, {}, {}, { name: "releases", emptyDir: { sizeLimit: "1Gi" } }],
    });
    const ports = [443, 6443, 2222].map((port) => ({ protocol: "TCP", port }));
    expect(the("NetworkPolicy", objects)["spec"]).toMatchObject({ egress: [{}, { ports }] });
    expect(JSON.stringify(the("ClusterRole", objects))).toContain('"impersonate"');
    expect(JSON.stringify(the("ClusterRole", objects))).not.toContain('"secrets"');
  });

  test("renders sources in a container that shares only a folder of sockets with the operator's", () => {
    const sandboxResources = { limits: { memory: "2Gi" } };
    const hooks = { enabled: true, secret: "hooks" };
    const repository = { url: "https://git.example.dev/rendered.git", credentialsSecret: "git" };
    const objects = install({ repository, releases: { enabled: true, hooks, sandboxResources } });
    const [operator, sandbox] = podOf(objects).spec.containers as readonly object[];
    expect(sandbox).toEqual({
      name: "sandbox",
      image: "fairlead:1",
      imagePullPolicy: "IfNotPresent",
      args: ["zone", "sandbox", "--sockets=/run/fairlead/zones/sandbox", "--log-level=info"],
      resources: sandboxResources,
      securityContext: {
        runAsUser: 65_533,
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ["ALL"] },
      },
      volumeMounts: [{ name: "sandbox-sockets", mountPath: "/run/fairlead/zones/sandbox" }],
    });
    expect(podOf(objects).spec["securityContext"]).toMatchObject({
      runAsUser: 65_532,
      seccompProfile: { type: "RuntimeDefault" },
    });
    const sockets = { name: "sandbox-sockets", mountPath: "/run/fairlead/zones/sandbox" };
    expect(operator).toMatchObject({ volumeMounts: expect.arrayContaining([sockets]) });
    // A volume on the node's disk that exceeds its limit causes an eviction of the pod, including the operator.
    const volume = { name: "sandbox-sockets", emptyDir: { medium: "Memory", sizeLimit: "1Mi" } };
    expect(podOf(objects).spec["volumes"]).toContainEqual(volume);
    expect(configOf(objects).zoneSockets).toBe("/run/fairlead/zones");
  });

  test("reads repositories in a container that has the clones and hooks, and no token", () => {
    const sourceResources = { limits: { memory: "2Gi" } };
    const hooks = { enabled: true, secret: "hook-secrets" };
    const repository = { url: "https://git.example.dev/rendered.git", credentialsSecret: "git" };
    const objects = install({ repository, releases: { enabled: true, hooks, sourceResources } });
    const [operator, , source, publish, ...others] = podOf(objects).spec.containers as readonly object[];
    expect(publish).toMatchObject({ name: "publish" });
    expect(others).toEqual([]);
    // Only the operator mounts a token, and only the publish zone the publishing credentials.
    for (const zone of [source, publish]) expect(JSON.stringify(zone)).not.toContain("serviceaccount");
    for (const other of [operator, source]) expect(JSON.stringify(other)).not.toContain('"repository"');
    expect(source).toEqual({
      name: "source",
      image: "fairlead:1",
      imagePullPolicy: "IfNotPresent",
      args: [
        ...["zone", "source", "--sockets=/run/fairlead/zones/source", "--cache=/var/cache/fairlead"],
        ...[
          "--cache-size=2Gi",
          "--hook-bind-address=:8082",
          "--hook-secrets=/etc/fairlead/hooks",
          "--log-level=info",
        ],
      ],
      ports: [{ name: "hooks", containerPort: 8082 }],
      resources: sourceResources,
      securityContext: {
        runAsUser: 65_531,
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ["ALL"] },
      },
      volumeMounts: [
        { name: "source-sockets", mountPath: "/run/fairlead/zones/source" },
        { name: "releases", mountPath: "/var/cache/fairlead" },
        { name: "hooks", mountPath: "/etc/fairlead/hooks", readOnly: true },
      ],
    });
    const mounts = JSON.stringify((operator as { readonly volumeMounts: unknown }).volumeMounts);
    expect(mounts).toContain('"source-sockets"');
    const volume = { name: "source-sockets", emptyDir: { medium: "Memory", sizeLimit: "1Mi" } };
    expect(podOf(objects).spec["volumes"]).toContainEqual(volume);
    expect(mounts).not.toMatch(/"releases"|"hooks"/);
  });

  test("disables polling in the source zone without isolation, if the sandbox is required", () => {
    const argsOf = (releases: object): unknown => {
      const containers = podOf(install({ releases: { enabled: true, ...releases } })).spec.containers;
      return (containers as readonly object[] as readonly { name: string; args: unknown }[]).find(
        ({ name }) => name === "source",
      )?.args;
    };
    expect(argsOf({ requireSandbox: true })).toContain("--require-isolation");
    expect(argsOf({})).not.toContain("--require-isolation");
  });

  test("serves hooks to the allowed senders, and each instance also to the others", () => {
    const hooks = { enabled: true, secret: "hooks", fromNamespaces: ["ingress"] };
    const objects = install({ releases: { enabled: true, hooks } });
    expect(configOf(objects)).toMatchObject({ hookBindAddress: ":8082" });
    expect(objects.find((object) => idOf(object) === "Service fairlead-system/fairlead-hooks")).toMatchObject(
      {
        spec: { ports: [{ port: 80, targetPort: "hooks" }] },
      },
    );
    const [container] = podOf(objects).spec.containers;
    expect(container).toMatchObject({
      env: expect.arrayContaining([
        { name: "POD_IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
      ]),
    });
    const itself = { podSelector: { matchLabels: { "app.kubernetes.io/instance": "fairlead" } } };
    const at8082 = [{ protocol: "TCP", port: 8082 }];
    expect(the("NetworkPolicy", objects)["spec"]).toMatchObject({
      ingress: [
        {},
        {
          ports: at8082,
          from: [{ namespaceSelector: { matchExpressions: [{ values: ["ingress"] }] } }, itself],
        },
      ],
      egress: [{}, {}, { ports: at8082, to: [itself] }],
    });
    const open = install({ releases: { enabled: true, hooks: { enabled: true, secret: "hooks" } } });
    expect(the("NetworkPolicy", open)["spec"]).toMatchObject({ ingress: [{}, { ports: at8082 }] });
  });

  test("sends the name of the installation to the API server also without leader election", () => {
    const objects = install({ ha: false, name: "lead", namespace: "ops", releases: { enabled: true } });
    expect(configOf(objects)).toMatchObject({
      leaderElect: false,
      leaderElectNamespace: "ops",
      leaderElectId: "lead",
    });
  });

  test("grants Releases permissions only in the watched namespaces, except for sending the instance and reading policies", () => {
    const objects = install({
      watchedNamespaces: ["a"],
      policies: { ownership: false, leadership: false, releaseStatus: false, stages: false },
      releases: { enabled: true, impersonate: true },
    });
    const roles = objects.filter(({ kind }) => kind === "Role" || kind === "ClusterRole");
    const [inA, cluster] = roles.map((role) => JSON.stringify(role["rules"]));
    expect(inA).toContain('"ingresses"');
    expect(inA).toContain('"impersonate"');
    expect(cluster).toBe(
      JSON.stringify([
        { apiGroups: ["fairlead.dev"], resources: ["releasepolicies"], verbs: ["list", "watch"] },
        {
          apiGroups: ["authentication.k8s.io"],
          resources: ["userextras/fairlead.dev/holder"],
          verbs: ["impersonate"],
        },
      ]),
    );
  });

  test("installs the CustomResourceDefinition of Release in a form that kubectl accepts for an ApplySet", () => {
    const app = new App();
    installChart(app, { kinds, values: { image: "fairlead:1", releases: { enabled: true } } });
    const [crds] = app.charts;
    expect(crds?.toJson()).toContainEqual(
      expect.objectContaining({
        metadata: {
          name: "releases.fairlead.dev",
          labels: { "applyset.kubernetes.io/is-parent-type": "true" },
        },
      }),
    );
  });
});
