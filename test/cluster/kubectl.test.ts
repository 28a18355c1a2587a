import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import type { KubernetesObject } from "../../crds/object.ts";
import { aNamespace, kubectl, testCluster } from "./fixture.ts";

/** kubectl itself. */
async function kubectlProcess(...args: readonly string[]): Promise<string> {
  const { kubectlPath, kubeconfigPath } = testCluster();
  return (await promisify(execFile)(kubectlPath, [`--kubeconfig=${kubeconfigPath}`, ...args])).stdout;
}

const aConfigMap = (name: string, more: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, labels: { app: "web" } },
  data: { key: "value" },
  ...more,
});
const managersOf = async (name: string, namespace: string) => {
  const text = await kubectlProcess(
    ...["get", "configmap", name, "-n", namespace, "-o", "json", "--show-managed-fields"],
  );
  const { metadata } = JSON.parse(text) as {
    metadata: { managedFields: { manager: string; operation: string }[] };
  };
  return metadata.managedFields.map(({ manager, operation }) => `${manager} ${operation}`);
};

test.each([
  "get configmap one -o json",
  "get configmap one -o jsonpath={.data.key}",
  "get configmap one -o jsonpath={.data}",
  "get configmap one -o jsonpath={.none.there}",
  "get configmaps -l app=web -o json",
  "get configmaps,services -l app=web -o name",
  "get crd echos.mmontes.io -o name",
])("answers as a process of kubectl does to %s", async (line) => {
  const namespace = await aNamespace();
  await kubectl(["create", "-n", namespace, "-f", "-"], { input: aConfigMap("one") });
  const words = [...line.split(" "), "-n", namespace];
  const [direct, process] = [await kubectl(words), await kubectlProcess(...words)];
  if (!line.endsWith("-o json")) expect(direct).toBe(process);
  else expect(withoutListVersion(JSON.parse(direct))).toEqual(withoutListVersion(JSON.parse(process)));
});

function withoutListVersion(found: KubernetesObject): object {
  return found.kind === "List" ? { ...found, metadata: undefined } : found;
}

test("writes as the field managers of kubectl, and waits for the end of what it deletes", async () => {
  const namespace = await aNamespace();
  const there = ["-n", namespace];
  await kubectl(["create", ...there, "-f", "-"], { input: aConfigMap("one") });
  await kubectl(["patch", "configmap", "one", ...there, "--type=merge", "-p", '{"data":{"more":"1"}}']);
  expect(await managersOf("one", namespace)).toEqual(["kubectl-create Update", "kubectl-patch Update"]);
  await kubectl(["apply", "--server-side", ...there, "-f", "-"], { input: [aConfigMap("two")] });
  expect(await managersOf("two", namespace)).toEqual(["kubectl Apply"]);
  await kubectl(["replace", ...there, "-f", "-"], { input: aConfigMap("two", { data: { key: "other" } }) });
  expect(await kubectl(["get", "configmap", "two", ...there, "-o", "jsonpath={.data.key}"])).toBe("other");
  await kubectl(["delete", "configmap", "one", "two", ...there]);
  await expect(kubectlProcess("get", "configmap", "one", ...there)).rejects.toThrow(/not found/);
});

test("fails as kubectl does", async () => {
  const namespace = await aNamespace();
  const there = ["-n", namespace];
  await expect(kubectl(["get", "configmap", "none", ...there, "-o", "json"])).rejects.toThrow(
    'Error from server (NotFound): configmaps "none" not found',
  );
  await expect(
    kubectl(["create", ...there, "-f", "-", "--as=nobody"], { input: aConfigMap("one") }),
  ).rejects.toThrow(
    'Error from server (Forbidden): error when creating "STDIN": configmaps is forbidden: User "nobody"',
  );
  await expect(kubectl(["delete", "configmap", "none", ...there])).rejects.toThrow(/NotFound/);
  await kubectl(["delete", "configmap", "none", ...there, "--ignore-not-found"]);
});
