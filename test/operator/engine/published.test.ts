import { describe, expect, test } from "vitest";
import type { DesiredObject } from "../../../operator/engine/desired-set.ts";
import { publishedOf } from "../../../operator/engine/published.ts";
import { aManifest } from "../../fakes/owned-objects.ts";
import { aDesiredSet } from "../../fakes/plans.ts";

/** A ConfigMap that is published, and Pods that are not, of these digests. */
function aSet(configMap: string, ...pods: readonly string[]) {
  const { objects } = aDesiredSet([
    aManifest({ name: "config", digest: configMap }),
    ...pods.map((digest) => aManifest({ kind: "Pod", name: digest, digest })),
  ]);
  const published = objects.map((one): DesiredObject => ({ ...one, publish: one.manifest.kind !== "Pod" }));
  return { objects: published, digest: [configMap, ...pods].join(), hasUnpublished: true };
}

describe("publishedOf()", () => {
  test("is the complete set with its digest if all objects are published", () => {
    const all = aDesiredSet([aManifest(), aManifest({ kind: "Pod" })]);
    const { manifests, digest } = publishedOf(all);
    expect(manifests).toEqual(all.objects.map(({ manifest }) => manifest));
    expect(digest).toBe(all.digest);
  });

  test("omits objects that are not published", () => {
    const { manifests } = publishedOf(aSet("c1", "p1"));
    expect(manifests.map(({ kind }) => kind)).toEqual(["ConfigMap"]);
  });

  test("has a digest of published objects only", () => {
    const { digest } = publishedOf(aSet("c1", "p1"));
    expect(publishedOf(aSet("c1", "p2")).digest).toBe(digest);
    expect(publishedOf(aSet("c1", "p1", "p2")).digest).toBe(digest);
    expect(publishedOf(aSet("c1")).digest).toBe(digest);
    expect(publishedOf(aSet("c2", "p1")).digest).not.toBe(digest);
  });

  test("has the same digest for any order of the objects", () => {
    const objects = ["a", "b"].map((name) => aDesiredSet([aManifest({ name })]).objects[0] as DesiredObject);
    const digestIn = (order: readonly DesiredObject[]) =>
      publishedOf({ objects: order, digest: "", hasUnpublished: true }).digest;
    expect(digestIn(objects)).toBe(digestIn(objects.toReversed()));
  });
});
