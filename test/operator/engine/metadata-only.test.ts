import { describe, expect, test } from "vitest";
import { metadataOnly, metadataPatch, withMetadata } from "../../../operator/engine/metadata-only.ts";
import { stamps } from "../../../synth/manifest.ts";
import { aManifest, asLive, set } from "../../fakes/owned-objects.ts";

const owner = aManifest().metadata.ownerReferences?.[0] as { readonly uid: string };
const other = { apiVersion: "v1", kind: "Other", name: "other", uid: "other-uid" };
const pod = aManifest({
  kind: "Pod",
  generation: 3,
  metadata: {
    annotations: { [stamps.digest]: "d1", [stamps.template]: "t", [stamps.owner]: "o", note: "n" },
  },
  fields: { spec: { containers: [] } },
});

describe("metadataOnly()", () => {
  test("omits the content, and the annotations that describe it", () => {
    expect(metadataOnly(pod)).toEqual({
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        name: "web",
        namespace: "shop",
        labels: { [stamps.set]: set },
        annotations: { [stamps.owner]: "o", note: "n" },
        ownerReferences: [owner],
      },
    });
  });
});

describe("metadataPatch()", () => {
  test("has labels and annotations, for exactly this object", () => {
    expect(metadataPatch(metadataOnly(pod), asLive(pod, { resourceVersion: "7" }))).toEqual({
      uid: "uid-of-Pod-web",
      labels: { [stamps.set]: set },
      annotations: { [stamps.owner]: "o", note: "n" },
    });
  });

  test("restores an owner reference in addition to those of others, only for the version that has these", () => {
    const live = asLive(pod, { resourceVersion: "7", ownerReferences: [other] });
    expect(metadataPatch(metadataOnly(pod), live)).toMatchObject({
      resourceVersion: "7",
      ownerReferences: [other, owner],
    });
  });

  test("corrects a changed owner reference, and does not repeat it", () => {
    const changed = { ...owner, controller: false } as never;
    const live = asLive(pod, { ownerReferences: [changed, other] });
    expect(metadataPatch(metadataOnly(pod), live).ownerReferences).toEqual([other, owner]);
  });
});

describe("withMetadata()", () => {
  test("keeps the additions of others, and the content of the object", () => {
    const live = asLive(pod, {
      labels: { theirs: "1" },
      annotations: { note: "edited" },
      ownerReferences: [],
    });
    expect(withMetadata(metadataOnly(pod), live)).toMatchObject({
      spec: { containers: [] },
      metadata: {
        labels: { theirs: "1", [stamps.set]: set },
        annotations: { note: "n", [stamps.owner]: "o" },
        ownerReferences: [owner],
      },
    });
  });
});
