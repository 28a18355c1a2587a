import { describe, expect, test } from "vitest";
import { Release } from "../../crds/release.ts";
import { applyObjects, kubectl, readObject } from "./fixture.ts";
import { conditionOf } from "./harness.ts";
import { aConfigMapFile, aReleaseHarness } from "./release-harness.ts";

describe("a Release that is deleted", () => {
  test("is deleted with its objects although its repository was deleted and the operator was down", async () => {
    const harness = await aReleaseHarness();
    const { namespace, commit, source } = harness;
    const id = commit({ "shop/a.json": aConfigMapFile("a", {}), "shop/b.json": aConfigMapFile("b", {}) });
    const operator = await harness.start();
    await harness.release("shop");
    await harness.untilAt("shop", id);
    await operator.stop("SIGKILL");
    source.vanish();
    await kubectl(["delete", "release", "shop", "-n", namespace, "--wait=false"]);
    await harness.start();
    await harness.untilGone("shop");
    expect(await readObject("configmaps", "a", namespace)).toBeUndefined();
    expect(await readObject("configmaps", "b", namespace)).toBeUndefined();
  });

  test("leaves its objects if its spec says so", async () => {
    const harness = await aReleaseHarness();
    const { namespace, commit } = harness;
    const id = commit({ "shop/a.json": aConfigMapFile("a", {}) });
    await harness.start();
    await harness.release("shop", { deletionPolicy: "Orphan" });
    await harness.untilAt("shop", id);
    await harness.remove("shop");
    expect(await readObject("configmaps", "a", namespace)).toBeDefined();
  });
});

describe("a Release that acts as a ServiceAccount", () => {
  test("is deployed with only its permissions, and names the missing ones", async () => {
    const harness = await aReleaseHarness();
    const { namespace, commit } = harness;
    const id = commit({ "shop/a.json": aConfigMapFile("a", {}) });
    await harness.start();
    await harness.release("shop", { target: { serviceAccountName: "deployer" } });
    const refused = await harness.until("shop", {
      status: "False",
      message: /system:serviceaccount:.*:deployer.*configmaps/,
    });
    expect(conditionOf(refused, "Applied")?.message).toMatch(/may not/);
    expect(await readObject("configmaps", "a", namespace)).toBeUndefined();
    await grant(namespace, "deployer");
    await harness.untilAt("shop", id);

    // Its permissions are removed: nothing is deleted with more than those.
    await kubectl(["delete", "rolebinding", "deployer", "-n", namespace]);
    await kubectl(["delete", "release", "shop", "-n", namespace, "--wait=false"]);
    await harness.until("shop", { status: "False", reason: "Deleting", message: /deployer.*Orphan/ });
    expect(await readObject("configmaps", "a", namespace)).toBeDefined();
    await grant(namespace, "deployer");
    await harness.untilGone("shop");
    expect(await readObject("configmaps", "a", namespace)).toBeUndefined();
    expect(await readObject(`releases.${Release.group}`, "shop", namespace)).toBeUndefined();
  });
});

async function grant(namespace: string, name: string): Promise<void> {
  const group = "rbac.authorization.k8s.io";
  const verbs = ["get", "create", "patch", "delete"];
  await applyObjects(
    {
      apiVersion: `${group}/v1`,
      kind: "Role",
      metadata: { name, namespace },
      rules: [{ apiGroups: [""], resources: ["configmaps"], verbs }],
    },
    {
      apiVersion: `${group}/v1`,
      kind: "RoleBinding",
      metadata: { name, namespace },
      roleRef: { apiGroup: group, kind: "Role", name },
      subjects: [{ kind: "ServiceAccount", name, namespace }],
    },
  );
}
