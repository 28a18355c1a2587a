import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import type { KubernetesObject } from "../../crds/object.ts";
import { eventually } from "./eventually.ts";
import { anEmptyCluster, anInstallation } from "./installation.ts";
import { aFolder } from "./operator.ts";

const cluster = anEmptyCluster();
const { kubectl, install, uninstall } = cluster;

const everything =
  "namespaces,serviceaccounts,clusterroles,clusterrolebindings,roles,rolebindings,networkpolicies,services," +
  "poddisruptionbudgets,deployments,configmaps,secrets,validatingadmissionpolicies,validatingadmissionpolicybindings," +
  "mutatingadmissionpolicies,mutatingadmissionpolicybindings";

const everyValue = {
  imagePullSecrets: ["registry"],
  repository: { url: "git@git.test:r.git", credentialsSecret: "git" },
  monitoring: { dashboard: { enabled: true } },
  nodeSelector: { "kubernetes.io/os": "linux" },
  tolerations: [{ key: "dedicated", operator: "Exists", effect: "NoExecute", tolerationSeconds: 60 }],
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { a: "b" } } },
      ],
    },
  },
  topologySpreadConstraints: [
    { maxSkew: 1, topologyKey: "topology.kubernetes.io/zone", whenUnsatisfiable: "DoNotSchedule" },
  ],
  priorityClassName: "system-cluster-critical",
  labels: { "example.dev/team": "platform" },
  annotations: { "example.dev/why": "because" },
  podLabels: { mesh: "off" },
  podAnnotations: { note: "x" },
};

const releaseCrds = [
  "customresourcedefinition.apiextensions.k8s.io/approvals.fairlead.dev",
  "customresourcedefinition.apiextensions.k8s.io/freezes.fairlead.dev",
  "customresourcedefinition.apiextensions.k8s.io/pipelines.fairlead.dev",
  "customresourcedefinition.apiextensions.k8s.io/promotions.fairlead.dev",
  "customresourcedefinition.apiextensions.k8s.io/releasepolicies.fairlead.dev",
  "customresourcedefinition.apiextensions.k8s.io/releases.fairlead.dev",
];

/** Title → resource version of all objects of an installation. */
async function objectsOf(name: string, namespace = name): Promise<ReadonlyMap<string, string>> {
  const selector = `fairlead.dev/installation=${namespace}.${name}`;
  const list = await kubectl(["get", everything, "-A", "-l", selector, "-o", "json"]);
  const { items } = JSON.parse(list) as { readonly items: readonly KubernetesObject[] };
  return new Map(
    items.map(({ kind, metadata }) => [`${kind} ${metadata.name}`, metadata.resourceVersion ?? ""]),
  );
}

// The first of the file: the cluster is empty, and the commands are those of a user.
test("one command installs, a repetition changes nothing, and another one removes everything", async () => {
  const program = join(import.meta.dirname, "../../cli/fairlead.js");
  const fairlead = (...args: readonly string[]) =>
    promisify(execFile)(process.execPath, [program, ...args, `--kubeconfig=${cluster.local.kubeconfigPath}`]);
  expect((await fairlead("install")).stdout).toContain("\ncreated   Deployment fairlead-system/fairlead\n");
  await kubectl("wait deployment fairlead -n fairlead-system --for=condition=Available --timeout=1s");
  // The operator adds its key of records, which a repetition keeps.
  const keyOf = "secret fairlead-records -n fairlead-system";
  await kubectl(`patch ${keyOf} --type=merge -p {"data":{"key":"AAAA"}}`);
  const made = await objectsOf("fairlead", "fairlead-system");

  expect(await kubectl("get crd -o name")).toBe(`${releaseCrds.join("\n")}\n`);
  const { length } = releaseCrds;
  expect(await install({})).toMatch(
    new RegExp(`^Installed: ${made.size + length} unchanged\nThe pods of this cluster are simulated: `),
  );
  expect(await kubectl(`get ${keyOf} -o jsonpath={.data.key}`)).toBe("AAAA");
  expect(await objectsOf("fairlead", "fairlead-system")).toEqual(made);
  const planned = await install({ set: ["replicas=3"], dryRun: true });
  expect(planned).toContain("changed   Deployment fairlead-system/fairlead\n--- live/Deployment");
  expect(planned).toContain("\n-  replicas: 2\n+  replicas: 3\n");
  expect(planned).toMatch(new RegExp(`\nWould be: 2 changed, ${made.size + length - 2} unchanged\n$`));
  expect(await objectsOf("fairlead", "fairlead-system")).toEqual(made);

  // Every value with an effect on the manifests.
  const values = join(await aFolder(), "values.yaml");
  await writeFile(values, stringify(everyValue));
  expect(await install({ values, dryRun: true })).toContain(
    "changed   Deployment fairlead-system/fairlead\n",
  );

  // The values of a run are kept for the next one.
  await install({ set: ["replicas=3", "kinds=[Echo]"] });
  expect(await install({ set: ["logLevel=debug"] })).toContain(
    'Kept from the last run: kinds=["Echo"], replicas=3 (--reset-values uses the defaults)\n',
  );
  const kept = await objectsOf("fairlead", "fairlead-system");
  const replicas = [
    "get",
    "deployment",
    "fairlead",
    "-n",
    "fairlead-system",
    "-o",
    "jsonpath={.spec.replicas}",
  ];
  expect(await kubectl(replicas)).toBe("3");

  const metadata = { name: "e", namespace: "default" };
  const echo = { apiVersion: "mmontes.io/v1alpha1", kind: "Echo", metadata, spec: { message: "hello" } };
  await kubectl("create -f -", { input: echo });
  await expect(fairlead("uninstall")).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining("there are Echo default/e and the objects created for them"),
  });
  expect(await objectsOf("fairlead", "fairlead-system")).toEqual(kept);

  expect(await uninstall({ deleteResources: true })).toContain("removed   Namespace fairlead-system\n");
  expect((await objectsOf("fairlead", "fairlead-system")).size).toBe(0);
  expect(await kubectl("get crd -o name")).toBe("");
  expect(await kubectl("get namespaces -o name")).not.toContain("fairlead");
  expect(await uninstall({})).toContain("nothing to do");
});

test("removes objects that new values no longer create, but neither copies nor namespaces of others", async () => {
  const { name, set } = anInstallation();
  await kubectl(["create", "namespace", name]);
  await install({ set, wait: false });
  // A user's copy of an object, with its labels.
  const original = JSON.parse(await kubectl(["get", "clusterrole", name, "-o", "json"])) as KubernetesObject;
  const { labels = {} } = original.metadata;
  await kubectl("create -f -", { input: { ...original, metadata: { name: `${name}-copy`, labels } } });

  const printed = await install({ set: [...set, "watchedNamespaces=[default]", "ha=false"], wait: false });
  expect(printed).toContain(`removed   PodDisruptionBudget ${name}/${name}\n`);
  expect(printed).toContain(`left      Namespace ${name} (it existed before the installation)\n`);
  const objects = [...(await objectsOf(name)).keys()];
  expect(objects).toContain(`ClusterRole ${name}-copy`);
  expect(objects).not.toContain(`ClusterRole ${name}`);
  expect(objects.join()).not.toMatch(/leader-election|PodDisruptionBudget/);

  // An object of the operator itself, without the label.
  const metadata = { name, namespace: name };
  await kubectl("create -f -", { input: { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata } });
  expect(await uninstall({ set, keepCrds: true })).toContain(`removed   Deployment ${name}/${name}\n`);
  expect(await kubectl(["get", "leases", "-n", name, "-o", "name"])).toBe("");
  expect(await kubectl(["get", "namespace", name, "-o", "name"])).toBe(`namespace/${name}\n`);
});

test("reports errors before anything is changed", async () => {
  const { name, set } = anInstallation();
  const wrong = (more: readonly string[]) => install({ set: [...set, ...more] });
  await expect(wrong(["replica=3"])).rejects.toThrow("replica: unknown value; did you mean replicas?");
  await expect(install({ set, values: "nowhere.yaml" })).rejects.toThrow(
    'Cannot read "nowhere.yaml": no such file',
  );
  await expect(wrong(["monitoring.serviceMonitor.enabled=true"])).rejects.toThrow(
    "this cluster does not have the kind (monitoring.coreos.com/v1)",
  );
  await expect(wrong(["createNamespace=false"])).rejects.toThrow(`namespace "${name}" does not exist`);
  await expect(wrong(["namespace=default", "resources.limits.memory=lots"])).rejects.toThrow(
    `Cannot apply "Deployment default/${name}": `,
  );
  expect(await kubectl("get clusterroles,namespaces -o name")).not.toContain(name);

  const { operatorKubeconfigPath, kubeconfigPath } = cluster.local;
  await expect(install({ set, kubeconfig: operatorKubeconfigPath })).rejects.toThrow(
    'user "operator" may not get "configmaps"',
  );
  const kubeconfig = join(await aFolder(), "kubeconfig");
  const text = await readFile(kubeconfigPath, "utf8");
  await writeFile(kubeconfig, text.replace(/server: .*/, "server: https://127.0.0.1:1"));
  await expect(install({ set, kubeconfig })).rejects.toThrow(
    "the API server at https://127.0.0.1:1 is unreachable (ECONNREFUSED)",
  );
});

test("does not take over objects of other owners, nor fields without the flag", async () => {
  const { name, set } = anInstallation();
  await kubectl(["create", "clusterrole", name, "--verb=get", "--resource=pods"]);
  await expect(install({ set })).rejects.toThrow(
    `Cannot install ClusterRole ${name}: it already exists and belongs to another owner`,
  );
  expect((await objectsOf(name)).size).toBe(0);
  await kubectl(["delete", "clusterrole", name]);

  await install({ set, wait: false });
  await kubectl(["scale", "deployment", name, "-n", name, "--replicas=1"]);
  await expect(install({ set })).rejects.toThrow(
    `Cannot apply Deployment ${name}/${name}: another field manager has set spec.replicas (owned by kubectl`,
  );
  expect(await install({ set, forceConflicts: true, wait: false })).toContain("1 changed");
  expect(await kubectl(["get", "deployment", name, "-n", name, "-o", "jsonpath={.spec.replicas}"])).toBe("2");
});

test("keeps CustomResourceDefinitions that another installation needs", async () => {
  const [one, other] = [anInstallation(), anInstallation()];
  await install({ set: one.set, wait: false });
  await install({ set: other.set, wait: false });
  expect(await uninstall({ set: one.set })).toMatch(
    /kept +the CustomResourceDefinitions: Deployment .* also needs them/,
  );
  expect(await kubectl("get crd -o name")).toContain("releases.fairlead.dev");
});

// The last of the file: it changes this kind.
test("refuses a CustomResourceDefinition that would lose a version in which resources are stored", async () => {
  const set = ["kinds=[Echo]"];
  await install({ set, crdsOnly: true });
  const crd = "crd/echos.mmontes.io";
  const [storage] = JSON.parse(await kubectl(["get", crd, "-o", "jsonpath={.spec.versions}"]));
  const spec = {
    versions: [
      { ...storage, storage: false },
      { ...storage, name: "v9" },
    ],
  };
  await kubectl(["patch", crd, "--type=merge", "-p", JSON.stringify({ spec })]);
  await eventually(
    async () => (await kubectl(["get", crd, "-o", "jsonpath={.status.storedVersions}"])).includes("v9"),
    { what: "v9 is stored" },
  );
  await expect(install({ set, crdsOnly: true, forceConflicts: true })).rejects.toThrow(
    "Cannot upgrade CustomResourceDefinition echos.mmontes.io: resources may still be stored as v9",
  );
});
