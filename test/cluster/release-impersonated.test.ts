import { describe, expect, test } from "vitest";
import { fence } from "./fenced.ts";
import { applyObjects, auditEvents, eventually, kubectl, readObject } from "./fixture.ts";
import { untilGone } from "./harness.ts";
import { isWork, lineOf } from "./operator-user.ts";
import { aConfigMapFile, aReleaseHarness } from "./release-harness.ts";

const rbac = "rbac.authorization.k8s.io";

interface ConfigMap {
  readonly data?: Readonly<Record<string, string>>;
}

/** An account of the namespace that may deploy ConfigMaps into it, and nothing else. */
async function makeDeployer(namespace: string): Promise<void> {
  const metadata = { name: "deployer", namespace };
  const verbs = ["get", "create", "patch", "delete"];
  await applyObjects(
    { apiVersion: "v1", kind: "ServiceAccount", metadata },
    {
      apiVersion: `${rbac}/v1`,
      kind: "Role",
      metadata,
      rules: [{ apiGroups: [""], resources: ["configmaps"], verbs }],
    },
    {
      apiVersion: `${rbac}/v1`,
      kind: "RoleBinding",
      metadata,
      roleRef: { apiGroup: rbac, kind: "Role", name: "deployer" },
      subjects: [{ kind: "ServiceAccount", ...metadata }],
    },
  );
}

describe("a Release with a ServiceAccount, and a fenced operator", () => {
  test("is deployed, repaired, pruned and deleted only with the permissions of the account", async () => {
    const harness = await aReleaseHarness();
    const { namespace, commit } = harness;
    await makeDeployer(namespace);
    const fenced = await fence(namespace, { rights: "releases", releases: { enabled: true } });
    const pod = await fenced.aPod("leader");
    const since = new Date();
    const target = { serviceAccountName: "deployer" };
    const first = commit({
      "shop/a.json": aConfigMapFile("a", { colour: "blue" }),
      "shop/b.json": aConfigMapFile("b", { colour: "blue" }),
      "other/secret.json": { apiVersion: "v1", kind: "Secret", metadata: { name: "no" } },
    });
    await harness.start(fenced.args, pod);
    await harness.release("shop", { target });
    await harness.untilAt("shop", first);

    const colourOf = async () =>
      (await readObject<ConfigMap>("configmaps", "a", namespace))?.data?.["colour"];
    await kubectl(["patch", "cm", "a", "-n", namespace, "--type=merge", "-p", '{"data":{"colour":"red"}}']);
    await eventually(async () => (await colourOf()) === "blue", { what: "the manual edit is reverted" });

    const second = commit({ "shop/b.json": undefined });
    await harness.untilAt("shop", second);
    await untilGone("configmaps", "b", namespace);

    // Requests that the account may not send are not sent by the operator either.
    await harness.release("other", { target });
    const refused = await harness.until("other", { status: "False", message: /secrets/ });
    expect(JSON.stringify(refused.status)).toContain(
      `user \\"system:serviceaccount:${namespace}:deployer\\" may not patch \\"secrets\\"`,
    );
    await harness.remove("shop");
    await untilGone("configmaps", "a", namespace);

    const events = await auditEvents({ user: fenced.user, since });
    const ofObjects = events.filter(
      ({ objectRef }) =>
        objectRef?.namespace === namespace && ["configmaps", "secrets"].includes(objectRef.resource ?? ""),
    );
    const asItself = ofObjects.filter(({ impersonatedUser }) => impersonatedUser === undefined);
    // It reads with its own permissions, and writes with those of the account.
    expect(asItself.filter(isWork).map(lineOf)).toEqual([]);
    const writes = ofObjects.filter(isWork);
    expect(writes.length).toBeGreaterThanOrEqual(5);
    for (const { impersonatedUser } of writes) {
      expect(impersonatedUser).toMatchObject({
        username: `system:serviceaccount:${namespace}:deployer`,
        extra: { "fairlead.dev/holder": [`${namespace}/operator/leader`] },
      });
    }
    // Neither fence rejected anything, and only the intended permission was missing.
    const denied = events.filter(({ responseStatus }) => responseStatus?.code === 403).map(lineOf);
    expect(new Set(denied)).toEqual(new Set(["patch secrets no 403"]));
  });
});
