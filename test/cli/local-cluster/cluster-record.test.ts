import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  type ClusterRecord,
  readClusterRecord,
  writeClusterRecord,
} from "../../../cli/local-cluster/cluster-record.ts";

function aRecord(): ClusterRecord {
  const runDirectory = mkdtempSync(join(tmpdir(), "fairlead-record-"));
  onTestFinished(() => rmSync(runDirectory, { recursive: true }));
  return {
    version: 1,
    name: "shop",
    runDirectory,
    ports: { etcdClient: 1, etcdPeer: 2, apiServer: 3, controllerManager: 4, scheduler: 5, kwok: 6 },
    fsync: true,
    nodes: 3,
    components: ["etcd", "kube-apiserver"],
    binaries: { etcd: "/bin/etcd" },
    processes: { etcd: { pid: 4711, startedAt: "boot/99" } },
  };
}

describe("the record of a cluster", () => {
  test("is read as it was written", () => {
    const record = aRecord();
    writeClusterRecord(record);
    expect(readClusterRecord(record.runDirectory)).toEqual(record);
  });

  test("is absent if there is no cluster", () => {
    expect(readClusterRecord(aRecord().runDirectory)).toBeUndefined();
    expect(readClusterRecord("/nonexistent")).toBeUndefined();
  });

  test.for([
    { is: "no JSON", text: "{" },
    { is: "of another version", text: '{ "version": 2 }' },
    { is: "of something else", text: "[]" },
  ])("is refused, by its path, when it is $is", ({ text }) => {
    const { runDirectory } = aRecord();
    writeFileSync(join(runDirectory, "cluster.json"), text);
    expect(() => readClusterRecord(runDirectory)).toThrow(
      `Cannot read "${join(runDirectory, "cluster.json")}"`,
    );
  });
});
