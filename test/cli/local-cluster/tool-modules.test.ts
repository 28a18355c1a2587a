import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  BINARY_NAMES,
  cacheKey,
  goBuildArguments,
  moduleOf,
  pinnedVersion,
  TOOL_MODULES,
} from "../../../cli/local-cluster/tool-modules.ts";

const kubernetes = moduleOf("kube-apiserver");
const etcd = moduleOf("etcd");
const readModuleFile = (name: string, file: string) =>
  readFileSync(new URL(`../../../cli/local-cluster/modules/${name}/${file}`, import.meta.url), "utf8");

describe("the Go modules", () => {
  test("build every binary exactly once", () => {
    const built = TOOL_MODULES.flatMap(({ packages }) => Object.keys(packages));
    expect(built.toSorted()).toEqual(BINARY_NAMES.toSorted());
  });

  test.for(TOOL_MODULES)(
    "$name pins its source, lists its tools, and uses the Go settings of its source",
    (module) => {
      const goMod = readModuleFile(module.name, "go.mod");
      expect(goMod).toMatch(new RegExp(`^module fairlead.dev/local-cluster/${module.name}$`, "m"));
      // A dependency's setting is not inherited.
      expect(goMod).toMatch(/^godebug default=go1\.26$/m);
      for (const path of Object.values(module.packages))
        expect(goMod).toMatch(new RegExp(`^(tool |\t)${path}$`, "m"));
      const version = pinnedVersion(module, goMod);
      expect(readModuleFile(module.name, "go.sum")).toContain(`${module.source} ${version} h1:`);
    },
  );
});

describe("pinnedVersion()", () => {
  test("reads the version of the source, not that of a nested module", () => {
    const goMod =
      "require (\n\tgo.etcd.io/etcd/server/v3/more v9.0.0\n\tgo.etcd.io/etcd/server/v3 v3.7.1 // indirect\n)";
    expect(pinnedVersion(etcd, goMod)).toBe("v3.7.1");
  });

  test("refuses a go.mod without the source", () => {
    expect(() => pinnedVersion(etcd, "module example.dev")).toThrow(/go\.etcd\.io\/etcd\/server\/v3/);
  });
});

describe("goBuildArguments()", () => {
  test("stamps the version of Kubernetes on both of its packages", () => {
    const args = goBuildArguments(kubernetes, "v1.37.1", "/out");
    const flags = args[args.indexOf("-ldflags") + 1];
    for (const path of ["k8s.io/component-base/version", "k8s.io/client-go/pkg/version"]) {
      expect(flags).toContain(`-X ${path}.gitVersion=v1.37.1 -X ${path}.gitMajor=1 -X ${path}.gitMinor=37 `);
    }
    expect(args.slice(args.indexOf("-o"), args.indexOf("-o") + 2)).toEqual(["-o", "/out/"]);
  });

  test("names a single binary, because its package is at the root of its module", () => {
    expect(goBuildArguments(etcd, "v3.7.1", "/out")).toContain("/out/etcd");
  });
});

describe("cacheKey()", () => {
  const input = {
    module: etcd,
    goMod: "go.etcd.io/etcd/server/v3 v3.7.1",
    goSum: "sums",
    platform: "linux",
    arch: "x64",
  };
  const key = cacheKey(input);

  test("contains the name of the module", () => {
    expect(key).toMatch(/^etcd-v3\.7\.1-linux-x64-[0-9a-f]{12}$/);
    expect(cacheKey({ ...input })).toBe(key);
  });

  test.for([
    { when: "the sums change", change: { goSum: "other" } },
    { when: "the version changes", change: { goMod: "go.etcd.io/etcd/server/v3 v3.7.2" } },
    { when: "the platform changes", change: { platform: "darwin" } },
    { when: "the processor changes", change: { arch: "arm64" } },
    { when: "the build flags change", change: { module: { ...etcd, buildFlags: ["-race"] } } },
  ])("changes when $when", ({ change }) => {
    expect(cacheKey({ ...input, ...change })).not.toBe(key);
  });
});
