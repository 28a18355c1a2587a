import { expect, test } from "vitest";
import { applyObjects, kubectl, readObject } from "./fixture.ts";
import { untilGone } from "./harness.ts";
import { isWork, lineOf } from "./operator-user.ts";
import { aConfigMapFile, aReleaseHarness, type ReleaseHarness } from "./release-harness.ts";

const rbac = "rbac.authorization.k8s.io";
const target = { serviceAccountName: "deployer" };

/** An account that may deploy ConfigMaps into the namespace of the test. */
async function makeDeployer(namespace: string): Promise<void> {
  const metadata = { name: "deployer", namespace };
  const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get", "create", "patch", "delete"] }];
  await applyObjects(
    { apiVersion: "v1", kind: "ServiceAccount", metadata },
    { apiVersion: `${rbac}/v1`, kind: "Role", metadata, rules },
    {
      apiVersion: `${rbac}/v1`,
      kind: "RoleBinding",
      metadata,
      roleRef: { apiGroup: rbac, kind: "Role", name: "deployer" },
      subjects: [{ kind: "ServiceAccount", ...metadata }],
    },
  );
}

/** The operator's writes of objects with its own permissions. */
async function writtenAsItself({ user }: ReleaseHarness, since: Date): Promise<readonly string[]> {
  const requests = await user.requests(since);
  return requests
    .filter((request) => isWork(request) && request.impersonatedUser === undefined)
    .filter(({ objectRef }) => objectRef?.resource !== "releases")
    .map(lineOf);
}

async function deployed(): Promise<ReleaseHarness> {
  const harness = await aReleaseHarness();
  const first = harness.commit({
    "shop/a.json": aConfigMapFile("a", { colour: "blue" }),
    "shop/b.json": aConfigMapFile("b", { colour: "blue" }),
  });
  await makeDeployer(harness.namespace);
  await harness.start(["--release-require-service-account"]);
  await harness.release("shop", { target });
  await harness.untilAt("shop", first);
  return harness;
}

test("nothing is deleted with the operator's own permissions for a Release whose account was removed from its spec", async () => {
  const since = new Date();
  const harness = await deployed();
  const { namespace, commit } = harness;
  // Rejected, and so not pruned.
  await harness.release("shop");
  await harness.until("shop", { status: "False", reason: "SpecInvalid", message: /name a ServiceAccount/ });
  commit({ "shop/b.json": undefined });
  // Nor deleted.
  await kubectl(["delete", "release", "shop", "-n", namespace, "--wait=false"]);
  await harness.until("shop", { status: "False", reason: "Deleting", message: /only as a ServiceAccount/ });
  for (const name of ["a", "b"]) expect(await readObject("configmap", name, namespace)).toBeDefined();
  // With an account it is deleted, with its objects.
  await harness.release("shop", { target });
  await harness.untilGone("shop");
  for (const name of ["a", "b"]) await untilGone("configmaps", name, namespace);
  expect(await writtenAsItself(harness, since)).toEqual([]);
});

test("a Release whose account was deleted keeps its objects until it sets that they are to stay", async () => {
  const since = new Date();
  const harness = await deployed();
  const { namespace } = harness;
  await kubectl(["delete", "rolebinding,role,serviceaccount", "deployer", "-n", namespace]);
  await kubectl(["delete", "release", "shop", "-n", namespace, "--wait=false"]);
  await harness.until("shop", {
    status: "False",
    reason: "Deleting",
    message: new RegExp(`Grant ServiceAccount ${namespace}/deployer the rights for it .again.`),
  });
  await harness.release("shop", { target, deletionPolicy: "Orphan" });
  await harness.untilGone("shop");
  for (const name of ["a", "b"]) expect(await readObject("configmap", name, namespace)).toBeDefined();
  expect(await writtenAsItself(harness, since)).toEqual([]);
});
