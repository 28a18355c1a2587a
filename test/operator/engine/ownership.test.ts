import { describe, expect, test } from "vitest";
import type { LiveObject } from "../../../crds/object.ts";
import { decideOwnership } from "../../../operator/engine/ownership.ts";
import { stamps } from "../../../synth/manifest.ts";
import { aManifest, anOwner, asLive, set } from "../../fakes/owned-objects.ts";

const owner = {
  apiVersion: "example.dev/v1alpha1",
  kind: "Echo",
  name: "web",
  uid: "owner-uid",
  controller: true,
};
const ours = asLive(aManifest());
const bare: LiveObject = {
  ...ours,
  ours: false,
  metadata: { name: "web", namespace: "shop", uid: "1", resourceVersion: "1" },
};
const annotated = (annotations: Record<string, string>, labels = {}): LiveObject => ({
  ...bare,
  metadata: { ...bare.metadata, annotations, labels },
});
const controlledBy = (reference: Partial<typeof owner>, live = bare): LiveObject => ({
  ...live,
  metadata: { ...live.metadata, ownerReferences: [{ ...owner, ...reference }] },
});

describe("decideOwnership()", () => {
  test.for([
    { does: "recognizes an object of a lost response", live: ours, whose: "ours" },
    {
      does: "recognizes an object whose owner reference was removed",
      live: { ...ours, metadata: { ...ours.metadata, ownerReferences: [] } },
      whose: "ours",
    },
    {
      does: "adopts an object that an earlier operator created for this resource",
      live: controlledBy({}),
      whose: "adopt",
    },
    {
      does: "adopts an object with our label that we did not apply",
      live: { ...ours, ours: false },
      whose: "adopt",
    },
    {
      does: "adopts an object that its owner hands over",
      live: annotated({ [stamps.adoptBy]: "Echo/web" }),
      whose: "adopt",
    },
    {
      does: "accepts the kind in lower case",
      live: annotated({ [stamps.adoptBy]: "echo/web" }),
      whose: "adopt",
    },
    {
      does: "accepts the kind with its group",
      live: annotated({ [stamps.adoptBy]: "echo.example.dev/shop/web" }),
      whose: "adopt",
    },
    {
      does: "accepts the name with its namespace",
      live: annotated({ [stamps.adoptBy]: "Echo/shop/web" }),
      whose: "adopt",
    },
    {
      does: "waits for the deletion of objects of a deleted resource of the same name",
      live: controlledBy({ uid: "former-uid" }, ours),
      whose: "leaving",
    },
  ])("$does", ({ live, whose }) => {
    expect(decideOwnership(live, anOwner(), set)).toEqual({ whose });
  });

  const clusterScoped = (adoptBy: string): LiveObject => {
    const { namespace: _, ...metadata } = annotated({ [stamps.adoptBy]: adoptBy }).metadata;
    return { ...bare, metadata };
  };

  test("adopts an object without a namespace only if the annotation names the resource's namespace", () => {
    expect(decideOwnership(clusterScoped("Echo/shop/web"), anOwner(), set)).toEqual({ whose: "adopt" });
    // Any namespace may have an Echo of this name.
    for (const adoptBy of ["Echo/web", "echo.example.dev/web", "Echo//web", "Echo/other/web"])
      expect(decideOwnership(clusterScoped(adoptBy), anOwner(), set), adoptBy).toMatchObject({
        whose: "foreign",
      });
  });

  test("adopts an object whose annotation names a cluster-scoped resource", () => {
    const { namespace: _, ...metadata } = anOwner().metadata;
    const resource = { ...anOwner(), metadata };
    for (const live of [clusterScoped("Echo/web"), annotated({ [stamps.adoptBy]: "Echo/web" })])
      expect(decideOwnership(live, resource, set)).toEqual({ whose: "adopt" });
  });

  test("does not adopt an object of a resource of the same name in the object's namespace", () => {
    const { metadata } = anOwner();
    const elsewhere = { ...anOwner(), metadata: { ...metadata, namespace: "elsewhere" } };
    const live = controlledBy({ uid: "another-uid" }, ours);
    expect(decideOwnership(live, elsewhere, set)).toMatchObject({ whose: "foreign" });
  });

  test.for([
    { does: "an object without any mark", live: bare, owner: "another owner" },
    {
      does: "an object of another resource of ours",
      live: controlledBy({ name: "other", uid: "2" }),
      owner: "Echo shop/other",
    },
    {
      does: "an object of another kind of owner",
      live: controlledBy({ kind: "Deployment", uid: "2" }),
      owner: "Deployment shop/web",
    },
    {
      does: "an object of a resource with this kind and name in another group",
      live: controlledBy({ apiVersion: "other.dev/v1", uid: "2" }),
      owner: "Echo shop/web",
    },
    {
      does: "an object handed over to another resource",
      live: annotated({ [stamps.adoptBy]: "Echo/other" }),
      owner: "another owner",
    },
    {
      does: "an object handed over to a resource of an equally named kind in another group",
      live: annotated({ [stamps.adoptBy]: "echo.mmontes.io/web" }),
      owner: "another owner",
    },
    {
      does: "an object handed over to a resource of this name in another namespace",
      live: annotated({ [stamps.adoptBy]: "Echo/office/web" }),
      owner: "another owner",
    },
    {
      does: "an object of another set, also when it is handed over",
      live: annotated(
        { [stamps.adoptBy]: "Echo/web", [stamps.owner]: "echoes.example.dev/a" },
        { [stamps.set]: "other" },
      ),
      owner: "echoes.example.dev/a",
    },
    {
      does: "our label, which any client could set",
      live: annotated({}, { [stamps.set]: set }),
      owner: "another owner",
    },
    { does: "Helm's", live: annotated({ "meta.helm.sh/release-name": "blog" }), owner: "Helm release blog" },
    {
      does: "an object of another tool",
      live: annotated({}, { "app.kubernetes.io/managed-by": "kustomize" }),
      owner: "kustomize",
    },
  ])("does not adopt $does", ({ live, owner: name }) => {
    expect(decideOwnership(live, anOwner(), set)).toMatchObject({ whose: "foreign", owner: { name } });
  });

  const handedOver = { [stamps.adoptBy]: "Echo/web" };
  test.for([
    { does: "an object without any mark", live: bare, heldBy: undefined },
    { does: "an object with our label", live: annotated({}, { [stamps.set]: set }), heldBy: undefined },
    {
      does: "an object of another set",
      live: annotated(handedOver, { [stamps.set]: "other" }),
      heldBy: "set",
    },
    {
      does: "an object with another controller",
      live: controlledBy({ kind: "Deployment", uid: "2" }, annotated(handedOver, { [stamps.set]: "other" })),
      heldBy: "controller",
    },
  ])("reports what keeps the annotation from handing over $does", ({ live, heldBy }) => {
    const ownership = decideOwnership(live, anOwner(), set);
    expect(ownership.whose === "foreign" && ownership.owner.heldBy).toBe(heldBy);
  });
});
