import { describe, expect, test } from "vitest";
import type { LiveObject } from "../../../../crds/object.ts";
import { type ReleaseResource, releaseAnnotations } from "../../../../crds/release.ts";
import { SealedRecords } from "../../../../operator/desire/release/sealed-records.ts";
import { lateWritesMs } from "../../../../operator/desire/release/take-inventory.ts";
import { ApiUnavailableError, ObjectRejectedError } from "../../../../operator/errors.ts";
import { noSealer, testSealer } from "../../../fakes/records.ts";
import { ReleaseBench } from "../../../fakes/release-bench.ts";
import { aRelease, aSourceManifest } from "../../../fakes/releases.ts";

const records = new SealedRecords(testSealer);
const ids = ["/ConfigMap/shop/a", "rbac.authorization.k8s.io/ClusterRole//shop:reader admin"];
const map = (name: string) => aSourceManifest("v1", "ConfigMap", name, { fields: { data: { x: "1" } } });

describe("the sealed record of a Release", () => {
  const sealed = records.seal(aRelease(), ids) ?? {};
  const record = sealed[releaseAnnotations.recorded] ?? "";

  test("contains the ids, and is opened as the identical object each time", () => {
    const release = aRelease({ annotations: sealed });
    const opened = records.open(release);
    expect(opened.recorded).toEqual(ids);
    expect(records.open(release)).toBe(opened);
  });

  test.for<[string, LiveObject]>([
    [
      "was written for another Release",
      {
        ...aRelease({ annotations: sealed }),
        metadata: { ...aRelease({ annotations: sealed }).metadata, uid: "x" },
      },
    ],
    ["has more ids than were sealed", annotated(record.replace("/a", "/a,/Secret/other/b"))],
    ["has no seal", annotated(JSON.stringify(ids))],
    ["is empty", annotated(" ")],
    ["has only a seal", annotated(record.slice(0, record.indexOf(" ")))],
  ])("is ignored if it %s", ([, release]) => {
    expect(records.open(release).recorded).toBeUndefined();
  });

  test("is ignored if the status has an inventory", () => {
    const status = { inventory: { entries: [] } } as never;
    const release = aRelease({ annotations: sealed, status });
    expect(records.open(release)).toBe(release);
  });

  test("is ignored without a key", () => {
    const keyless = new SealedRecords(noSealer);
    expect(keyless.open(aRelease({ annotations: sealed })).recorded).toBeUndefined();
    expect(keyless.seal(aRelease(), ids)).toBeUndefined();
  });

  test("is opened when the key becomes known", () => {
    let sealer = noSealer;
    const later = new SealedRecords({
      sealOf: (text) => sealer.sealOf(text),
      isSealOf: (seal, text) => sealer.isSealOf(seal, text),
    });
    const release = aRelease({ annotations: sealed });
    expect(later.open(release)).toBe(release);
    sealer = testSealer;
    expect(later.open(release).recorded).toEqual(ids);
  });

  test("does not exist for more ids than an annotation should have", () => {
    const many = Array.from({ length: 600 }, (_, index) => `/ConfigMap/shop/config-${index}-of-many`);
    expect(records.seal(aRelease(), many)).toBeUndefined();
  });

  test("cannot be replaced by a field of the Release itself", () => {
    const release = { ...aRelease(), recorded: ["/Secret/other/b"] };
    expect(records.open(release).recorded).toBeUndefined();
  });
});

function annotated(record: string): ReleaseResource {
  return aRelease({ annotations: { [releaseAnnotations.recorded]: record } });
}

describe("an operator with a key", () => {
  const both = ["/ConfigMap/shop/a", "/ConfigMap/shop/b"];
  const aBench = () => {
    const bench = new ReleaseBench({ sealer: testSealer });
    bench.commit("1", [map("a"), map("b")]);
    bench.edit();
    return bench;
  };

  test("records the first objects together with the finalizer, and the first status has them", async () => {
    const bench = aBench();
    const recorded: unknown[] = [];
    bench.cluster.rewrite = (object) => {
      if (object.kind === "ConfigMap") recorded.push(records.open(bench.release()).recorded);
      return object;
    };
    await bench.reconcile();
    expect(recorded).toEqual([both, both]);
    expect(bench.takeRequests()).toEqual([
      "metadata Release/web",
      "apply ConfigMap/a",
      "apply ConfigMap/b",
      "status Release/web",
    ]);
    expect(bench.release().status?.inventory).toEqual({ entries: both, deployed: 2 });
    expect(bench.release().metadata.finalizers).toEqual(["fairlead.dev/objects"]);
  });

  test("applies nothing if the record cannot be written", async () => {
    const bench = aBench();
    bench.cluster.refuse("metadata Release/web", new ApiUnavailableError("no answer", { status: 0 }));
    await expect(bench.reconcile()).rejects.toThrow("no answer");
    expect(bench.takeRequests()).toEqual(["metadata Release/web"]);
  });

  test("has the objects of a failed first apply in the status, and prunes them with the next commit", async () => {
    const bench = aBench();
    bench.cluster.refuse("apply ConfigMap/b", new ApiUnavailableError("no answer", { status: 0 }));
    await expect(bench.reconcile()).rejects.toThrow("no answer");
    expect(bench.release().status?.inventory).toBeUndefined();
    bench.commit("2", [map("c")]);
    await bench.reconcile();
    await bench.clock.advance(10_000);
    await bench.reconcile();
    expect(bench.release().status?.inventory?.entries).toEqual(["/ConfigMap/shop/c"]);
    expect(bench.live("ConfigMap", "a")).toBeUndefined();
  });

  test("has the record in the first status, also of an incomplete deployment", async () => {
    const bench = aBench();
    bench.cluster.refuse(
      "apply ConfigMap/b",
      new ObjectRejectedError("/ConfigMap/shop/b", "denied by a webhook"),
    );
    await bench.reconcile();
    expect(bench.condition("Ready")).toContain("False");
    expect(bench.release().status?.inventory).toEqual({ entries: both });
  });

  test("deletes the objects of a Release that was deleted before its first status", async () => {
    const bench = aBench();
    bench.cluster.refuse("apply ConfigMap/b", new ApiUnavailableError("no answer", { status: 0 }));
    await expect(bench.reconcile()).rejects.toThrow("no answer");
    bench.takeRequests();
    const release = aRelease({ generation: 2 });
    bench.edit({ ...release, metadata: { ...release.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } });
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["delete ConfigMap/a"]);
    await bench.clock.advance(lateWritesMs);
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["metadata Release/web"]);
    expect(bench.release().metadata.finalizers).toEqual([]);
  });

  test("records later objects in the status", async () => {
    const bench = aBench();
    await bench.reconcile();
    bench.takeRequests();
    bench.commit("2", [map("a"), map("b"), map("c")]);
    await bench.reconcile();
    expect(bench.takeRequests()).toEqual(["status Release/web", "apply ConfigMap/c", "status Release/web"]);
  });
});
