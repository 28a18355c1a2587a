import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readClusterRecord } from "../../cli/local-cluster/cluster-record.ts";
import { type LocalCluster, startLocalCluster } from "../../cli/local-cluster/local-cluster.ts";
import { isRunning } from "../../cli/local-cluster/process-identity.ts";
import { readAuditLog } from "./audit-log.ts";
import { kubectl } from "./fixture.ts";

describe("a cluster of an API server", () => {
  let cluster: LocalCluster;
  beforeAll(async () => {
    cluster = await startLocalCluster({ name: "separate", fsync: false, only: "api" });
  });
  afterAll(() => cluster?.stop());

  test("the user operator has no permissions by itself", async () => {
    // On the shared clusters the tests have granted it some.
    const asOperator = ["--kubeconfig", cluster.operatorKubeconfigPath, "get", "pods", "-A"];
    await expect(kubectl(asOperator)).rejects.toThrow(/forbidden/i);
    const refusals = await readAuditLog(cluster.auditLogPath, { user: "operator" });
    const refusal = refusals.find(({ verb }) => verb === "list");
    expect(refusal).toMatchObject({ objectRef: { resource: "pods" }, responseStatus: { code: 403 } });
  });

  test("keeps its data when its parts restart, and leaves nothing behind when it stops", async () => {
    expect(cluster.components).toEqual(["etcd", "kube-apiserver"]);
    const onIt = (args: string[]) => kubectl(["--kubeconfig", cluster.kubeconfigPath, ...args]);
    await onIt(["create", "configmap", "kept"]);

    await cluster.stopComponent("etcd", { graceMs: 0 });
    await cluster.startComponent("etcd");
    await cluster.restart("kube-apiserver");

    expect(await onIt(["get", "configmap", "kept", "-o", "name"])).toBe("configmap/kept\n");
    const processes = Object.values(readClusterRecord(cluster.runDirectory)?.processes ?? {});
    expect(processes.map(isRunning)).toEqual([true, true]);

    await cluster.stop();

    expect(processes.map(isRunning)).toEqual([false, false]);
    expect(existsSync(cluster.runDirectory)).toBe(false);
  });
});
