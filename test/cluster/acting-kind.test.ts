import { join } from "node:path";
import { expect, test } from "vitest";
import { Delegate, delegate } from "./delegate.ts";
import { fence } from "./fenced.ts";
import { applyObjects, kubectl, readObject, testCluster } from "./fixture.ts";
import { aHarness, applyResource, untilCondition, untilGone, untilReady } from "./harness.ts";
import { install } from "./install.ts";
import { isWrite } from "./operator-user.ts";

const program = join(import.meta.dirname, "delegate-program.ts");
const rbac = "rbac.authorization.k8s.io";

test("a kind that acts as ServiceAccounts has their permissions, with the fences of its operator", async () => {
  await install(testCluster(), { kinds: [delegate], name: "delegates" });
  const { namespace, start } = await aHarness({ program, publishes: false });
  const fenced = await fence(namespace, { kinds: [delegate], rights: "delegates" });
  const pod = await fenced.aPod("operator-1");
  await start(fenced.args, pod);
  const metadata = { name: "deployer", namespace };
  await applyObjects({ apiVersion: "v1", kind: "ServiceAccount", metadata });

  // The operator may create ConfigMaps, this account may not.
  await applyResource(Delegate, namespace, { serviceAccountName: "deployer", text: "hello" });
  const wanted = { type: "Applied", status: "False", reason: "ApplyFailed" } as const;
  const { status } = await untilCondition(Delegate, namespace, wanted);
  const { message } = status?.conditions?.find(({ type }) => type === "Applied") ?? {};
  expect(message).toContain(`system:serviceaccount:${namespace}:deployer`);
  expect(await readObject("configmap", "web", namespace)).toBeUndefined();

  // With the permission it is retried, because no event reports the change.
  const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get", "create", "patch", "delete"] }];
  await applyObjects(
    { apiVersion: `${rbac}/v1`, kind: "Role", metadata, rules },
    {
      apiVersion: `${rbac}/v1`,
      kind: "RoleBinding",
      metadata,
      roleRef: { apiGroup: rbac, kind: "Role", name: "deployer" },
      subjects: [{ kind: "ServiceAccount", ...metadata }],
    },
  );
  await untilReady(Delegate, namespace);
  expect(await readObject("configmap", "web", namespace)).toMatchObject({ data: { text: "hello" } });

  // No write to an object was sent with the operator's own permissions.
  const writes = (await pod.requests()).filter(
    (event) => isWrite(event) && event.objectRef?.resource === "configmaps",
  );
  expect(writes.length).toBeGreaterThan(0);
  for (const { impersonatedUser } of writes)
    expect(impersonatedUser?.username).toBe(`system:serviceaccount:${namespace}:deployer`);
  await kubectl(["delete", "delegate", "web", "-n", namespace]);
  await untilGone("configmaps", "web", namespace);
});
