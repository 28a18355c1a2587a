import { describe, expect, test } from "vitest";
import {
  type ClusterLayout,
  COMPONENT_NAMES,
  componentArguments,
  healthUrl,
} from "../../../cli/local-cluster/component-arguments.ts";

const layout: ClusterLayout = {
  runDirectory: "/run/shop",
  ports: { etcdClient: 1, etcdPeer: 2, apiServer: 3, controllerManager: 4, scheduler: 5, kwok: 6 },
  fsync: true,
  stagesPath: "/stages.yaml",
};
const argumentsOf = (name: (typeof COMPONENT_NAMES)[number], change: Partial<ClusterLayout> = {}) =>
  componentArguments(name, { ...layout, ...change });

describe("componentArguments()", () => {
  test.for(COMPONENT_NAMES)("%s listens on loopback only, and reports its health there", (name) => {
    const text = argumentsOf(name).join("\n");
    expect(text).toMatch(/127\.0\.0\.1/);
    expect(text).not.toMatch(/0\.0\.0\.0(?!\/)|localhost/);
    expect(healthUrl(name, layout)).toMatch(/^https?:\/\/127\.0\.0\.1:[1-6]\//);
  });

  test.for(COMPONENT_NAMES)("%s keeps its files in the run directory", (name) => {
    const paths = argumentsOf(name).flatMap((arg) => /=(\/.*)$/.exec(arg)?.[1] ?? []);
    for (const path of paths)
      expect(path === "/stages.yaml" || path.startsWith("/run/shop/"), path).toBe(true);
  });

  test("etcd uses fsync by default", () => {
    expect(argumentsOf("etcd")).not.toContain("--unsafe-no-fsync");
    expect(argumentsOf("etcd", { fsync: false })).toContain("--unsafe-no-fsync");
  });

  test("nothing waits for a service account or a node's taint", () => {
    expect(argumentsOf("kube-apiserver")).toContain(
      "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition",
    );
    const controllers = argumentsOf("kube-controller-manager").find((arg) =>
      arg.startsWith("--controllers="),
    );
    expect(controllers).toContain("daemonset-controller");
    expect(controllers).not.toMatch(/node-lifecycle|serviceaccount|\*/);
  });
});
