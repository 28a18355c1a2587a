import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { provideBinaries } from "../../../cli/local-cluster/binaries.ts";
import { BinariesMissingError } from "../../../cli/local-cluster/binary-plan.ts";

/** A fake Go that records each build and takes a while, so that builds would overlap. */
const FAKE_GO = `#!/bin/sh
if [ "$1" = env ]; then echo "$FAKE_GO_VERSION"; exit 0; fi
echo build >> "$FAKE_GO_LOG"
while [ "$1" != -o ]; do shift; done
sleep 0.2
[ -n "$FAKE_GO_FAILS" ] && { echo "no space left" >&2; exit 1; }
echo binary > "$2" && chmod +x "$2"
`;

async function aMachine({ goVersion = "go1.26.8", fails = "" } = {}) {
  const folder = await mkdtemp(join(tmpdir(), "fairlead-binaries-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [bin, cache, assets, log] = ["bin", "cache", "assets", "log"].map((name) =>
    join(folder, name),
  ) as Four;
  await mkdir(bin);
  await mkdir(assets);
  await writeFile(log, "");
  await writeProgram(join(bin, "go"), FAKE_GO);
  const env = {
    PATH: `${bin}:/bin:/usr/bin`,
    FAKE_GO_LOG: log,
    FAKE_GO_VERSION: goVersion,
    FAKE_GO_FAILS: fails,
  };
  const locations = { cacheDirectory: cache, stateDirectory: folder, assetsDirectory: assets };
  const report = () => undefined;
  return {
    assets,
    cache: join(cache, "local-cluster"),
    provideEtcd: () => provideBinaries({ locations, env, required: ["etcd"], report }),
    countBuilds: async () => (await readFile(log, "utf8")).split("\n").length - 1,
  };
}
type Four = [string, string, string, string];

async function writeProgram(path: string, text: string): Promise<void> {
  await writeFile(path, text);
  await chmod(path, 0o755);
}

describe("provideBinaries()", () => {
  test("builds once, also for two concurrent requests, and uses the cache afterwards", async () => {
    const machine = await aMachine();

    const both = await Promise.all([machine.provideEtcd(), machine.provideEtcd()]);
    const later = await machine.provideEtcd();

    expect(await machine.countBuilds()).toBe(1);
    expect(both.map(({ sources }) => sources.get("etcd"))).toEqual(["build", "build"]);
    expect(later.sources.get("etcd")).toBe("cache");
    expect(await readFile(later.paths.get("etcd") ?? "", "utf8")).toBe("binary\n");
    expect(await readdir(machine.cache)).toEqual([
      expect.stringMatching(/^etcd-v[\d.]+-\w+-\w+-[0-9a-f]{12}$/),
    ]);
  });

  test("uses the binaries in KUBEBUILDER_ASSETS, and builds nothing", async () => {
    const machine = await aMachine();
    await writeProgram(join(machine.assets, "etcd"), "given");

    const { paths, sources } = await machine.provideEtcd();

    expect(sources.get("etcd")).toBe("KUBEBUILDER_ASSETS");
    expect(paths.get("etcd")).toBe(join(machine.assets, "etcd"));
    expect(await machine.countBuilds()).toBe(0);
  });

  test("a failed build reports the reason, and leaves no incomplete binary", async () => {
    const machine = await aMachine({ fails: "yes" });

    await expect(machine.provideEtcd()).rejects.toThrow("no space left");
    await expect(machine.provideEtcd()).rejects.toThrow("no space left");

    expect(await machine.countBuilds()).toBe(2);
    expect(await readdir(machine.cache)).toEqual([]);
  });

  test("an old Go builds nothing", async () => {
    const machine = await aMachine({ goVersion: "go1.25.9" });
    await expect(machine.provideEtcd()).rejects.toThrow(BinariesMissingError);
    expect(await machine.countBuilds()).toBe(0);
  });
});
