import { describe, expect, test } from "vitest";
import { setOf, stampManifest, unstampManifest } from "../../synth/stamp.ts";
import { aConfigMap, aGadgetKind, Gadget } from "../fakes/gadget.ts";
import { aResource } from "../fakes/resources.ts";

const resource = aResource(aGadgetKind(), { generation: 7 });
const owner = { definition: Gadget, resource, set: "applyset-x-v1" };
const anObject = (kind: string, apiVersion: string, namespace?: string) => ({
  apiVersion,
  kind,
  metadata: { name: "web", ...(namespace && { namespace }), labels: { app: "web" } },
  data: { a: "1" },
});

describe("setOf()", () => {
  test("is the id of a parent in the ApplySet specification", () => {
    // printf web.shop.Gadget.example.dev | openssl sha256 -binary | base64, made URL-safe
    expect(setOf(Gadget, resource)).toBe("applyset-Xcex9wJGyhQtlfxKvOFH7N6j8JZxEyLvY_6SPWpXf_U-v1");
  });

  test("is a valid label value and unique for every resource", () => {
    const other = aResource(aGadgetKind(), { name: "web2" });
    expect(setOf(Gadget, other)).not.toBe(setOf(Gadget, resource));
    expect(setOf(Gadget, other)).toMatch(/^applyset-[\w-]{43}-v1$/);
  });
});

describe("stampManifest()", () => {
  test("adds the set's label, the digest and the owner reference", () => {
    expect(stampManifest(anObject("ConfigMap", "v1", "shop"), "d1", owner).metadata).toEqual({
      name: "web",
      namespace: "shop",
      labels: { app: "web", "fairlead.dev/set": "applyset-x-v1" },
      annotations: { "fairlead.dev/digest": "d1" },
      ownerReferences: [
        {
          apiVersion: "example.dev/v1",
          kind: "Gadget",
          name: "web",
          uid: "uid-of-web",
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    });
  });

  test.for([
    { where: "another namespace", object: anObject("ConfigMap", "v1", "other") },
    { where: "no namespace", object: anObject("Namespace", "v1") },
  ])("adds the owner of an object in $where, which garbage collection cannot reach", ({ object }) => {
    const { annotations, ownerReferences } = stampManifest(object, "d1", owner).metadata;
    expect(ownerReferences).toBeUndefined();
    expect(annotations).toEqual({
      "fairlead.dev/digest": "d1",
      "fairlead.dev/owner": "gadgets.example.dev/shop/web",
    });
  });

  test("adds the generation to a Job, and to nothing else", () => {
    const generation = (kind: string, apiVersion: string) =>
      stampManifest(anObject(kind, apiVersion, "shop"), "d1", owner).metadata.annotations?.[
        "fairlead.dev/generation"
      ];
    expect(generation("Job", "batch/v1")).toBe("7");
    expect(generation("CronJob", "batch/v1")).toBeUndefined();
    expect(generation("Job", "example.dev/v1")).toBeUndefined();
  });
});

describe("unstampManifest()", () => {
  test.for([
    anObject("Job", "batch/v1", "shop"),
    anObject("Namespace", "v1"),
    aConfigMap("a", { metadata: { name: "a", annotations: { note: "mine" } } }),
  ])("removes everything that a stamp adds ($kind)", (object) => {
    expect(unstampManifest(stampManifest(object, "d1", owner))).toEqual(object);
  });
});
