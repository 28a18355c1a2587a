import { describe, expect, test } from "vitest";
import { settledHash } from "../../../operator/engine/settled-hash.ts";
import { aLiveObject } from "../../fakes/objects.ts";

const live = aLiveObject({ labels: { app: "web" }, fields: { spec: { size: 1 }, status: { ready: 1 } } });

describe("settledHash()", () => {
  test.for([
    { what: "the status", other: { ...live, status: { ready: 2 } } },
    { what: "the resourceVersion", other: { ...live, metadata: { ...live.metadata, resourceVersion: "9" } } },
    { what: "its managed fields of applies", other: { ...live, ours: false } },
    { what: "its managed fields of updates", other: { ...live, addedFields: { "fairlead/a": {} } } },
    { what: "their time", other: { ...live, addedAt: "2026-11-23T12:00:00Z" } },
  ])("stays the same when $what changes", ({ other }) => {
    expect(settledHash(other)).toBe(settledHash(live));
  });

  test("accepts objects as deeply nested as the API server does", () => {
    const nest = (leaf: number): unknown => {
      let nested: unknown = leaf;
      for (let level = 0; level < 10_000; level++) nested = [nested];
      return { ...live, spec: { nested } };
    };
    expect(settledHash(nest(1) as typeof live)).not.toBe(settledHash(nest(2) as typeof live));
  });

  test.for([
    { what: "its spec", other: { ...live, spec: { size: 2 } } },
    { what: "a label", other: { ...live, metadata: { ...live.metadata, labels: { app: "other" } } } },
    { what: "the object itself", other: { ...live, metadata: { ...live.metadata, uid: "another" } } },
  ])("is different when $what changes", ({ other }) => {
    expect(settledHash(other)).not.toBe(settledHash(live));
  });
});
