import { existsSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { readClusterRecord } from "../../cli/local-cluster/cluster-record.ts";
import { startLocalCluster } from "../../cli/local-cluster/local-cluster.ts";
import { isRunning } from "../../cli/local-cluster/process-identity.ts";
import { kubectl } from "./fixture.ts";

test("a cluster of an API server keeps its data when its parts restart, and leaves nothing behind when it stops", async () => {
  const cluster = await startLocalCluster({ name: "separate", fsync: false, only: "api" });
  onTestFinished(() => cluster.stop());
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
