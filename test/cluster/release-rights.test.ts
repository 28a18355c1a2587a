import { expect, test } from "vitest";
import { applyObjects, testCluster } from "./fixture.ts";
import { install } from "./install.ts";
import { anOperatorUser } from "./operator-user.ts";
import { aConfigMapFile, aReleaseHarness } from "./release-harness.ts";

const rbac = "rbac.authorization.k8s.io";

test("a Release reports which permission the operator lacks to watch its objects, and continues when it is granted", async () => {
  const rights = "releases-bare";
  const releases = { enabled: true, commonKinds: false, requireServiceAccount: false };
  await install(testCluster(), { name: rights, values: { releases } });
  const harness = await aReleaseHarness();
  const { namespace, commit } = harness;
  const bare = await anOperatorUser(namespace, { rights, name: "bare" });
  const wanted = commit({ "shop/web.json": aConfigMapFile("web", { colour: "blue" }) });
  await harness.start([`--kubeconfig=${bare.kubeconfigPath}`]);
  await harness.release("shop");
  await harness.until("shop", {
    status: "False",
    message:
      /may not list and watch configmaps in namespace ".*"; add \{group: "", resource: configmaps\} to the value releases\.kinds/,
  });
  // No object is created that the operator could not observe.
  expect(
    (await bare.requests())
      .filter(({ objectRef }) => objectRef?.resource === "configmaps")
      .map(({ verb }) => verb),
  ).not.toContain("patch");

  const metadata = { name: "more", namespace };
  const verbs = ["get", "list", "watch", "create", "patch", "delete"];
  await applyObjects(
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
      roleRef: { apiGroup: rbac, kind: "Role", name: "more" },
      subjects: [{ kind: "ServiceAccount", name: "bare", namespace }],
    },
  );
  await harness.untilAt("shop", wanted);
});
