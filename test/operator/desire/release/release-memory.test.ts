import { describe, expect, test } from "vitest";
import { emptyMemory, remember, withMemory } from "../../../../operator/desire/release/release-memory.ts";
import { aDeployedBench } from "../../../fakes/deployed-bench.ts";
import { aRelease, aSourceManifest } from "../../../fakes/releases.ts";

const map = (name: string, x = "1") => aSourceManifest("v1", "ConfigMap", name, { fields: { data: { x } } });

describe("remember()", () => {
  test("changes nothing in place, and returns the same object if no part has changed", () => {
    const memory = emptyMemory("uid");
    const { source } = memory;
    expect(remember(memory, { source, warned: undefined })).toBe(memory);
    const next = remember(memory, { warned: "digest" });
    expect(next).toEqual({ ...memory, warned: "digest" });
    expect(memory.warned).toBeUndefined();
    const release = { key: "shop/web", memory };
    expect(withMemory(release, { source })).toBe(release);
    expect(withMemory(release, { warned: "digest" })).toEqual({ key: "shop/web", memory: next });
  });
});

describe("the memory of a Release", () => {
  test("is the same object after a run without changes", async () => {
    const bench = await aDeployedBench("a");
    await bench.reconcile();
    const before = bench.memory.find("shop/web");
    await bench.reconcile();
    expect(bench.memory.find("shop/web")).toBe(before);
    expect(before?.applied?.tree).toBe("tree-1");
  });

  test("has the last state that was applied, also when its status could not be written", async () => {
    const bench = await aDeployedBench("a");
    bench.commit("2", [map("a", "2")]);
    const { patchStatus } = bench.cluster;
    bench.cluster.patchStatus = async () => Promise.reject(new Error("no answer"));
    await expect(bench.reconcile()).rejects.toThrow("no answer");
    expect(bench.memory.find("shop/web")?.applied?.tree).toBe("tree-2");
    bench.cluster.patchStatus = patchStatus;
    await bench.reconcile();
    expect(bench.release().status?.deployed).toMatchObject({ tree: "tree-2" });
  });

  test("belongs to one Release only: a recreated Release starts without memory", async () => {
    const bench = await aDeployedBench("a");
    const release = aRelease();
    bench.vanish(bench.release());
    bench.edit({ ...release, metadata: { ...release.metadata, uid: "next" } });
    bench.fail({ source: { reason: "SourceNotFound", message: "none" } });
    await bench.reconcile();
    expect(bench.memory.find("shop/web")).toMatchObject({ uid: "next", applied: undefined });
  });
});
