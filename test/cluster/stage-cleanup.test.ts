import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { requireClusterRecord, writeClusterRecord } from "../../cli/local-cluster/cluster-record.ts";
import type { LocalCluster } from "../../cli/local-cluster/local-cluster.ts";
import type { KubernetesObject, LiveObject } from "../../crds/object.ts";
import { readAuditLog } from "./audit-log.ts";
import { aSeparateCluster, auditEvents, eventually, kubectl } from "./fixture.ts";
import { kubectlFor } from "./kubectl.ts";
import { aPipelineFixture } from "./pipeline-fixture.ts";
import { installStagePolicies } from "./stage-policies.ts";
import { users } from "./stage-rights-fixture.ts";

const controllers = "kube-controller-manager";
const accountOf = (controller: string) => `system:serviceaccount:kube-system:${controller}`;

/** Restarts the controllers of a cluster, each with a ServiceAccount of its own, as kubeadm does. */
async function separateControllers(cluster: LocalCluster): Promise<void> {
  await cluster.stopComponent(controllers, { graceMs: 0 });
  const record = requireClusterRecord(cluster.runDirectory);
  const script = join(cluster.runDirectory, `${controllers}.sh`);
  const command = `exec '${record.binaries[controllers]}' "$@" --use-service-account-credentials`;
  writeFileSync(script, `#!/bin/sh\n${command}\n`, { mode: 0o700 });
  writeClusterRecord({ ...record, binaries: { ...record.binaries, [controllers]: script } });
  await cluster.startComponent(controllers);
}

test("objects of a deleted Pipeline or namespace are deleted by controllers that have no verb on its stages", async () => {
  // Given a cluster in which users need the verbs, and in which each controller has its own account
  const cluster = await aSeparateCluster({ nodes: 1 });
  const admin = kubectlFor({ ...cluster, kubectlPath: cluster.kubectlPath ?? "kubectl" });
  await installStagePolicies(cluster);
  await separateControllers(cluster);
  const namespace = "shop";
  await admin(["create", "namespace", namespace]);

  // And a Pipeline with its own Promotion, one by a user, and a rejection
  const create = async (kind: string, name: string, spec: object, more: object = {}, user = "admin") => {
    const metadata = { name, namespace, ...more };
    const input: KubernetesObject = { apiVersion: "fairlead.dev/v1alpha1", kind, metadata, spec };
    const who = user === "admin" ? [] : [`--as=${user}`, "--as-group=system:authenticated"];
    // The API server's policies can check a new kind some time after it is served.
    return await eventually(
      async () =>
        JSON.parse(await admin(["create", "-o", "json", "-f", "-", ...who], { input })) as LiveObject,
      { what: `${kind} "${name}" is created` },
    );
  };
  const source = { url: "https://git.test/shop.git" };
  const { metadata } = await create("Pipeline", "shop", { source, stages: [{ name: "prod" }] });
  const target = { pipeline: "shop", stage: "prod", revision: "1".repeat(40), digest: "a".repeat(32) };
  const owner = { apiVersion: "fairlead.dev/v1alpha1", kind: "Pipeline", name: "shop", uid: metadata.uid };
  const ownerReferences = [{ ...owner, controller: true, blockOwnerDeletion: true }];
  await create("Promotion", "shop-prod-1", { ...target, number: 1 }, { ownerReferences }, users.operator);
  await create("Promotion", "back", { ...target, hold: true });
  await create("Approval", "no", { ...target, decision: "Reject" });
  const remove = (kind: string, name: string) =>
    admin(["delete", kind, name, "-n", namespace, "--as=nobody", "--as-group=system:authenticated"]);
  await eventually(async () => /may not delete/.test(await remove("approval", "no").catch(String)), {
    what: "the policies are in force",
  });
  await expect(remove("promotion", "shop-prod-1")).rejects.toThrow("nobody may not delete this Promotion");
  await expect(remove("promotion", "back")).rejects.toThrow("nobody may not delete this Promotion");

  // When the Pipeline is deleted
  const left = () => admin(["get", "approvals,promotions", "-n", namespace, "-o", "name"]);
  await admin(["delete", "pipeline", "shop", "-n", namespace]);

  // Then the garbage collector deletes its Promotion, and nothing else
  await eventually(async () => !(await left()).includes("shop-prod-1"), {
    what: "the Promotion is deleted",
  });
  expect(await left()).toMatch(/approval.*\/no\n.*promotion.*\/back/);

  // When the namespace is deleted, then all of them are deleted.
  await admin(["delete", "namespace", namespace, "--wait=false"]);
  await admin(["wait", "namespace", namespace, "--for=delete", "--timeout=180s"]);
  const deletions = (await readAuditLog(cluster.auditLogPath, { namespace }))
    .filter(({ verb, objectRef }) => verb.startsWith("delete") && objectRef?.apiGroup === "fairlead.dev")
    .map(({ verb, user, objectRef }) => `${verb} ${objectRef?.resource} by ${user.username}`);
  expect(deletions).toContain(`delete promotions by ${accountOf("generic-garbage-collector")}`);
  for (const kind of ["approvals", "promotions"])
    expect(deletions).toContain(`deletecollection ${kind} by ${accountOf("namespace-controller")}`);
});

test("the operator deletes old Promotions under its ServiceAccount, which has no verb on their stages", async () => {
  // Given a Pipeline of one stage, which keeps only the Promotions of the running commit and of possible rollbacks
  const { namespace, ...fixture } = await aPipelineFixture();
  fixture.commit("1");
  await fixture.start();
  await fixture.follow();
  await fixture.untilStage("dev", { phase: "Passed" });
  const spec = { historyLimit: 0, stages: [{ name: "dev", releases: [{ name: "dev" }] }] };
  const patch = JSON.stringify({ spec });
  await kubectl(["patch", "pipeline", "shop", "-n", namespace, "--type=merge", "-p", patch]);
  const promotions = () => kubectl(["get", "promotions", "-n", namespace, "-o", "name"]);
  expect(await promotions()).toContain("/shop-dev-1\n");

  // When it has passed two more commits
  for (const version of ["2", "3"])
    await fixture.untilStage("dev", { phase: "Passed", running: { revision: fixture.commit(version) } });

  // Then the first Promotion is deleted: a rollback would deploy the second one.
  await eventually(async () => !(await promotions()).includes("/shop-dev-1\n"), {
    what: "the first Promotion is deleted",
  });
  expect(await promotions()).toMatch(/\/shop-dev-2\n.*\/shop-dev-3\n/);
  const deletions = (await auditEvents({ namespace })).filter(
    ({ verb, objectRef }) => verb === "delete" && objectRef?.name === "shop-dev-1",
  );
  expect(deletions.map(({ user, responseStatus }) => [user.username, responseStatus?.code])).toEqual([
    [`system:serviceaccount:${namespace}:operator`, 200],
  ]);
});
