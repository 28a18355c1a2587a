import { describe, expect, test } from "vitest";
import { findDigestMismatch } from "../../../../operator/desire/release/digest-mismatch.ts";
import type { DesiredSet, KindAnswer } from "../../../../operator/engine/desired-set.ts";
import { aCommit, aRelease, aSourceManifest, asPrepared } from "../../../fakes/releases.ts";

const [map, widget] = [
  aSourceManifest("v1", "ConfigMap", "a"),
  aSourceManifest("example.dev/v1", "Widget", "w"),
];
const revision = aCommit("a").id;
const other = "0".repeat(32);

/** What is found for a Release with this spec, where the catalog answers so. */
function find(prepared: DesiredSet, spec: Record<string, unknown>, answer?: KindAnswer) {
  return findDigestMismatch(
    { key: "shop/web", resource: aRelease({ spec }) },
    { prepared, head: aCommit("a") },
    { catalog: { ask: () => answer ?? expect.fail("nothing is to be asked") } },
  );
}

describe("findDigestMismatch()", () => {
  const prepared = asPrepared([map]);

  test.for([
    { what: "the digest of the manifests", spec: { revision, digest: prepared.digest } },
    { what: "no digest", spec: { revision } },
    { what: "a digest without a pin", spec: { digest: other } },
  ])("finds nothing for $what", ({ spec }) => {
    expect(find(prepared, spec)).toBeUndefined();
  });

  const source = { url: "https://git.example/shop.git", ref: { pipeline: "shop", stage: "prod" } };
  test.for([
    {
      what: "the new plan",
      spec: {},
      action: "Set spec.digest to that of the new plan in status.next, or pin another commit",
    },
    {
      what: "the new plan, for a Pipeline",
      spec: { source },
      action: "Approve the new plan in status.next, or pin another commit",
    },
    {
      what: "no plan if another commit is planned",
      spec: { source, next: { revision: aCommit("b").id } },
      action: "Approve the new plan, or pin another commit",
    },
  ])("names the commit, both digests and $what", ({ spec, action }) => {
    const found = find(prepared, { revision, digest: other, ...spec });
    expect(found).toMatchObject({ state: "refused", reason: "DigestMismatch" });
    expect(found).toHaveProperty(
      "message",
      `The manifests of commit aaaaaaaaaaaa have the digest ${prepared.digest}, but spec.digest is ${other}. Nothing is applied. ${action}`,
    );
  });

  test("waits for kinds that are being looked up, because the digest depends on them", () => {
    const open = asPrepared([map, widget]);
    const spec = { revision, digest: other };
    expect(find(open, spec, { state: "pending" })).toEqual({ state: "retry" });
    expect(find(open, spec, { state: "absent", message: "none" })).toMatchObject({
      reason: "DigestMismatch",
    });
  });
});
