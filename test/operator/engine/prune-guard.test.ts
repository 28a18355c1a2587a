import { describe, expect, test } from "vitest";
import type { LiveObject } from "../../../crds/object.ts";
import { mayClear, mayPrune } from "../../../operator/engine/prune-guard.ts";
import { stamps } from "../../../synth/manifest.ts";
import { aManifest, anOwner, asLive, set } from "../../fakes/owned-objects.ts";

const live = asLive(aManifest(), { uid: "1" });
const withMetadata = (metadata: Partial<LiveObject["metadata"]>): LiveObject => ({
  ...live,
  metadata: { ...live.metadata, ...metadata },
});
const [reference] = live.metadata.ownerReferences ?? [];
const elsewhere = withMetadata({ namespace: "office", ownerReferences: [] });

describe("mayPrune()", () => {
  test.for([
    { does: "prunes an object that is ours and no longer desired", live, is: true },
    { does: "prunes an object that garbage collection cannot reach", live: elsewhere, is: true },
    {
      does: "keeps an object with another set's label",
      live: withMetadata({ labels: { [stamps.set]: "other" } }),
      is: false,
    },
    { does: "keeps an object without our label", live: withMetadata({ labels: {} }), is: false },
    { does: "keeps an object that we never applied", live: { ...live, ours: false }, is: false },
    {
      does: "keeps an object of another controller",
      live: withMetadata({ ownerReferences: [{ ...reference, uid: "2" } as never] }),
      is: false,
    },
    {
      does: "keeps an object whose owner reference was removed",
      live: withMetadata({ ownerReferences: [] }),
      is: false,
    },
    {
      does: "does not delete a terminating object again",
      live: withMetadata({ deletionTimestamp: "2026-01-01T00:00:00Z" }),
      is: false,
    },
    {
      does: "keeps an object that is desired under another API group",
      live: withMetadata({ uid: "desired" }),
      is: false,
    },
    {
      does: "keeps an object with our annotation to keep it",
      live: withMetadata({ annotations: { "fairlead.dev/prune": "disabled" } }),
      is: false,
    },
    {
      does: "keeps an object with kubectl's annotation to keep it",
      live: withMetadata({ annotations: { "client.lifecycle.config.k8s.io/deletion": "detach" } }),
      is: false,
    },
  ])("$does", ({ live: object, is }) => {
    expect(mayPrune({ live: object, resource: anOwner(), set, desiredUids: new Set(["desired"]) })).toBe(is);
  });

  test.for([
    { case: "has no controller", of: withMetadata({ ownerReferences: [] }), is: true },
    { case: "has another one", of: live, is: false },
  ])("of a resource that sets no owner references, prunes an object that $case: $is", ({ of, is }) => {
    const resource = anOwner({ uid: "another" });
    expect(mayPrune({ live: of, resource, set, desiredUids: new Set(), isUnreferenced: true })).toBe(is);
  });

  test("a cluster-scoped resource is the controller of all objects that it created", () => {
    const { namespace: _, ...metadata } = anOwner().metadata;
    const input = { resource: { ...anOwner(), metadata }, set, desiredUids: new Set<string>() };
    expect(mayPrune({ live, ...input })).toBe(true);
    expect(mayPrune({ live: elsewhere, ...input })).toBe(false);
  });
});

describe("mayClear()", () => {
  const predecessor = [{ ...reference, uid: "0" } as never];
  const left = { ownerReferences: predecessor };
  test.for([
    { does: "deletes an object of an earlier resource of the same name", live: withMetadata(left), is: true },
    { does: "leaves an object of the resource to the prune", live, is: false },
    {
      does: "keeps an object of another resource",
      live: withMetadata({ ownerReferences: [{ ...reference, uid: "0", name: "other" } as never] }),
      is: false,
    },
    {
      does: "keeps an object that we never applied",
      live: { ...withMetadata(left), ours: false },
      is: false,
    },
    { does: "keeps an object without our label", live: withMetadata({ ...left, labels: {} }), is: false },
    {
      does: "keeps an object that also has another owner",
      live: withMetadata({ ownerReferences: [...predecessor, { kind: "Other", uid: "9" } as never] }),
      is: false,
    },
    {
      does: "does not delete a terminating object again",
      live: withMetadata({ ...left, deletionTimestamp: "2026-01-01T00:00:00Z" }),
      is: false,
    },
    {
      does: "keeps an object with our annotation to keep it",
      live: withMetadata({ ...left, annotations: { "fairlead.dev/prune": "disabled" } }),
      is: false,
    },
  ])("$does", ({ live: object, is }) => {
    expect(mayClear({ live: object, resource: anOwner(), set })).toBe(is);
  });
});
