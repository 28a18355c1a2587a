import { describe, expect, test } from "vitest";
import { configOf, idOf, install, podOf, the } from "./operator-install.ts";

const idsOf = (objects: ReturnType<typeof install>) => objects.map(idOf);
const repository = { url: "https://git.test/r.git" };

describe("OperatorChart", () => {
  test("installs the operator with a leader and a standby", () => {
    const objects = install({ policies: { ownership: false, leadership: false } });
    expect(idsOf(objects)).toEqual([
      "Namespace -/fairlead-system",
      "ServiceAccount fairlead-system/fairlead",
      "ClusterRole -/fairlead",
      "ClusterRoleBinding -/fairlead",
      "Role fairlead-system/fairlead-leader-election",
      "RoleBinding fairlead-system/fairlead-leader-election",
      "NetworkPolicy fairlead-system/fairlead",
      "Service fairlead-system/fairlead-metrics",
      "PodDisruptionBudget fairlead-system/fairlead",
      "Deployment fairlead-system/fairlead",
    ]);
    expect(the("Deployment", objects)).toMatchObject({ spec: { replicas: 2 } });
    expect(configOf(objects)).toMatchObject({
      leaderElect: true,
      leaderElectNamespace: "fairlead-system",
      leaderElectId: "fairlead",
      leaseDuration: 15_000,
      renewDeadline: 10_000,
      retryPeriod: 2_000,
      metricsBindAddress: ":8080",
      healthProbeBindAddress: ":8081",
      logLevel: "info",
    });
  });

  test("limits the heap of V8 to a share of the container's memory", () => {
    const heap = { name: "NODE_OPTIONS", value: "--max-old-space-size-percentage=35" };
    expect(JSON.stringify(podOf(install()))).toContain(JSON.stringify(heap));
  });

  test("runs restricted, with probes, a grace period, and only its own token", () => {
    const objects = install();
    expect(the("Namespace", objects).metadata.labels).toMatchObject({
      "pod-security.kubernetes.io/enforce": "restricted",
    });
    expect(the("ServiceAccount", objects)).toMatchObject({ automountServiceAccountToken: false });
    expect(podOf(objects).spec).toMatchObject({
      automountServiceAccountToken: false,
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
          volumeMounts: [
            { name: "tmp", mountPath: "/tmp" },
            { name: "token", mountPath: "/var/run/secrets/kubernetes.io/serviceaccount", readOnly: true },
          ],
        },
      ],
      volumes: [
        { name: "tmp", emptyDir: {} },
        {
          name: "token",
          projected: {
            sources: [
              { serviceAccountToken: { path: "token", expirationSeconds: 3600 } },
              { configMap: { name: "kube-root-ca.crt" } },
              { downwardAPI: { items: [{ path: "namespace" }] } },
            ],
          },
        },
      ],
    });
  });

  test("has one pod without a Lease, permission for one, and overlap, if no leader is elected", () => {
    const objects = install({ ha: false });
    expect(idsOf(objects).join()).not.toMatch(/leader-election|PodDisruptionBudget/);
    expect(JSON.stringify(the("ClusterRole", objects))).not.toContain("leases");
    expect(the("Deployment", objects)).toMatchObject({
      spec: { replicas: 1, strategy: { type: "Recreate" } },
    });
    expect(configOf(objects).leaderElect).toBe(false);
  });

  test("grants no permissions outside of the watched namespaces", () => {
    const policies = { ownership: false, leadership: false };
    const objects = install({ watchedNamespaces: ["a", "b"], repository, policies });
    expect(idsOf(objects).filter((id) => /Role/.test(id))).toEqual([
      "Role a/fairlead",
      "RoleBinding a/fairlead",
      "Role b/fairlead",
      "RoleBinding b/fairlead",
      "Role kube-system/fairlead-cluster-id",
      "RoleBinding kube-system/fairlead-cluster-id",
      "Role fairlead-system/fairlead-leader-election",
      "RoleBinding fairlead-system/fairlead-leader-election",
    ]);
    const inA = objects.find((object) => idOf(object) === "Role a/fairlead");
    expect(JSON.stringify(inA)).toContain('"deployments"');
    expect(JSON.stringify(inA)).not.toContain('"namespaces"');
    expect(configOf(objects).namespaces).toEqual(["a", "b"]);
  });

  test("reads the uid of kube-system, and no other namespace, only if there is a repository", () => {
    const rules = (values: Parameters<typeof install>[0]) =>
      (
        the("ClusterRole", install(values))["rules"] as readonly { readonly resources: readonly string[] }[]
      ).filter(({ resources }) => resources.includes("namespaces"));
    const watch = { apiGroups: [""], resources: ["namespaces"], verbs: ["list", "watch"] };
    const get = {
      apiGroups: [""],
      resources: ["namespaces"],
      resourceNames: ["kube-system"],
      verbs: ["get"],
    };
    expect(rules({})).toEqual([watch]);
    expect(rules({ repository })).toEqual([get, watch]);
  });

  test.for([
    ["https://git.test/r.git", 443],
    ["https://git.test:8443/r.git", 8443],
    ["ssh://git@git.test:2222/r.git", 2222],
    ["git@git.test:r.git", 22],
  ] as const)("lets its pods connect only to DNS, API server and the port of %s", ([url, port]) => {
    const policy = the(
      "NetworkPolicy",
      install({ repository: { url }, networkPolicy: { apiServerPorts: [6443] } }),
    );
    const tcp = (number: number) => ({ protocol: "TCP", port: number });
    expect(policy["spec"]).toMatchObject({
      policyTypes: ["Ingress", "Egress"],
      ingress: [
        { ports: [tcp(8080)], from: [{ namespaceSelector: { matchLabels: { metrics: "enabled" } } }] },
      ],
      egress: [{ ports: [{ protocol: "UDP", port: 53 }, tcp(53)] }, { ports: [tcp(6443), tcp(port)] }],
    });
  });

  test("lets only the listed namespaces read metrics, and no pod reach the probes", () => {
    const objects = install({ monitoring: { fromNamespaces: ["prometheus"] } });
    const key = "kubernetes.io/metadata.name";
    expect(the("NetworkPolicy", objects)["spec"]).toMatchObject({
      ingress: [
        {
          ports: [{ protocol: "TCP", port: 8080 }],
          from: [
            { namespaceSelector: { matchExpressions: [{ key, operator: "In", values: ["prometheus"] }] } },
          ],
        },
      ],
    });
    expect(JSON.stringify(the("NetworkPolicy", objects))).not.toContain("8081");
  });

  test("creates no metrics and no Service for them if they are disabled", () => {
    const objects = install({ monitoring: { enabled: false } });
    expect(idsOf(objects).join()).not.toContain("Service fairlead-system");
    expect(podOf(objects).spec.containers[0]["ports"]).toEqual([{ name: "health", containerPort: 8081 }]);
    expect(the("NetworkPolicy", objects)["spec"]).toMatchObject({
      policyTypes: ["Ingress", "Egress"],
      ingress: [],
    });
    expect(configOf(objects).metricsBindAddress).toBe("0");
  });

  test("schedules pods according to the values", () => {
    const placement = {
      nodeSelector: { disk: "ssd" },
      tolerations: [{ key: "dedicated", operator: "Exists" as const }],
      affinity: { nodeAffinity: { anything: [] } },
      priorityClassName: "system-cluster-critical",
    };
    const { spec } = podOf(install({ ...placement, imagePullSecrets: ["pull"], imagePullPolicy: "Always" }));
    expect(spec).toMatchObject({ ...placement, imagePullSecrets: [{ name: "pull" }] });
    expect(spec.containers[0]).toMatchObject({ imagePullPolicy: "Always" });
    expect(spec["topologySpreadConstraints"]).toMatchObject([
      { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: {} } },
    ]);
    expect(podOf(install({ topologySpreadConstraints: [] })).spec).not.toHaveProperty(
      "topologySpreadConstraints",
    );
  });

  test("labels all objects as its own, in addition to the labels and annotations of users", () => {
    const objects = install({
      labels: { team: "a" },
      annotations: { "example.dev/why": "because" },
      podLabels: { "example.dev/mesh": "off" },
      podAnnotations: { note: "x" },
    });
    for (const { metadata } of objects) {
      expect(metadata.labels).toMatchObject({
        team: "a",
        "app.kubernetes.io/name": "fairlead",
        "app.kubernetes.io/instance": "fairlead",
        "fairlead.dev/installation": "fairlead-system.fairlead",
      });
      expect(metadata.annotations).toMatchObject({ "example.dev/why": "because" });
    }
    expect(podOf(objects).metadata).toMatchObject({
      labels: { "example.dev/mesh": "off", "app.kubernetes.io/instance": "fairlead" },
      annotations: { note: "x" },
    });
  });

  test("does not create the namespace if createNamespace is false", () => {
    expect(idsOf(install({ createNamespace: false })).join()).not.toContain("Namespace -");
  });
});
