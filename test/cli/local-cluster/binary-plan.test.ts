import { describe, expect, test } from "vitest";
import {
  BinariesMissingError,
  type PlanBinariesInput,
  planBinaries,
} from "../../../cli/local-cluster/binary-plan.ts";

describe("planBinaries()", () => {
  const nothing: PlanBinariesInput = {
    needed: ["etcd", "kube-apiserver", "kwok"],
    inAssets: new Set(),
    cachedModules: new Set(),
    canBuild: false,
  };

  test.for<{ does: string; given: Partial<PlanBinariesInput>; plan: object }>([
    {
      does: "prefers given ones to cached ones, and cached ones to a build",
      given: { inAssets: new Set(["etcd"]), cachedModules: new Set(["etcd", "kwok"]), canBuild: true },
      plan: { etcd: "KUBEBUILDER_ASSETS", "kube-apiserver": "build", kwok: "cache" },
    },
    {
      does: "adds from the cache those that are not given",
      given: { inAssets: new Set(["etcd", "kube-apiserver", "kubectl"]), cachedModules: new Set(["kwok"]) },
      plan: { etcd: "KUBEBUILDER_ASSETS", "kube-apiserver": "KUBEBUILDER_ASSETS", kwok: "cache" },
    },
    {
      does: "reports the missing ones if nothing can be built",
      given: { cachedModules: new Set(["etcd"]) },
      plan: { etcd: "cache", "kube-apiserver": "missing", kwok: "missing" },
    },
    {
      does: "does not search for unneeded ones",
      given: { needed: ["etcd"], canBuild: true },
      plan: { etcd: "build" },
    },
  ])("$does", ({ given, plan }) => {
    expect(Object.fromEntries(planBinaries({ ...nothing, ...given }))).toEqual(plan);
  });
});

describe("BinariesMissingError", () => {
  test.for([
    { found: undefined, says: "there is no Go on the PATH" },
    { found: "go1.22.1", says: "the Go on the PATH is go1.22.1" },
  ])("names the missing binaries and how to get them: $says", ({ found, says }) => {
    const { message } = new BinariesMissingError(["etcd", "kwok"], found);
    expect(message).toContain("no etcd, no kwok");
    expect(message).toContain(says);
    expect(message).toContain("Go 1.26 or later");
    expect(message).toContain("setup-envtest use -p path");
  });
});
