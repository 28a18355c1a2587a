import { describe, expect, test } from "vitest";
import { prepareManifests } from "../../../../operator/desire/release/prepare-manifests.ts";
import { SourceError } from "../../../../operator/errors.ts";
import { stamps } from "../../../../synth/manifest.ts";
import { aCatalog, aRelease, aSourceManifest, asPrepared, asRendered } from "../../../fakes/releases.ts";

const configMap = aSourceManifest("v1", "ConfigMap", "web");
const deployment = aSourceManifest("apps/v1", "Deployment", "web");
const namespace = aSourceManifest("v1", "Namespace", "shop");
const definition = aSourceManifest(
  "apiextensions.k8s.io/v1",
  "CustomResourceDefinition",
  "widgets.example.dev",
  {
    fields: {
      spec: { group: "example.dev", scope: "Namespaced", names: { kind: "Widget", plural: "widgets" } },
    },
  },
);
const widget = aSourceManifest("example.dev/v1", "Widget", "w");
const webhook = aSourceManifest("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "w");

const failureOf = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    expect(error).toBeInstanceOf(SourceError);
    expect((error as SourceError).reason).toBe("RenderFailed");
    return (error as Error).message;
  }
  throw new Error("nothing was thrown");
};

describe("prepareManifests()", () => {
  test("stamps its result, and sets no owner reference that garbage collection would follow", () => {
    const labelled = aSourceManifest("v1", "ConfigMap", "web", {
      labels: { app: "web", [stamps.set]: "forged" },
    });
    const { objects, set } = asPrepared([labelled]);
    expect(set).toMatch(/^applyset-[\w-]{43}-v1$/);
    expect(objects[0]?.manifest.metadata).toEqual({
      name: "web",
      namespace: "shop",
      labels: { app: "web", "fairlead.dev/set": set, "applyset.kubernetes.io/part-of": set },
      annotations: {
        "fairlead.dev/digest": expect.stringMatching(/^[0-9a-f]{32}$/),
        "fairlead.dev/owner": "releases.fairlead.dev/shop/web",
      },
    });
  });

  test.for([
    {
      does: "sets the Release's namespace where a manifest has none",
      spec: {},
      given: configMap,
      id: "/ConfigMap/shop/web",
    },
    {
      does: "sets the target namespace",
      spec: { target: { namespace: "prod" } },
      given: configMap,
      id: "/ConfigMap/prod/web",
    },
    {
      does: "does not change a namespace that the manifest sets",
      spec: { target: { namespace: "prod" } },
      given: aSourceManifest("v1", "ConfigMap", "web", { namespace: "other" }),
      id: "/ConfigMap/other/web",
    },
    {
      does: "removes the namespace of a cluster-scoped object",
      spec: {},
      given: aSourceManifest("v1", "Namespace", "x", { namespace: "shop" }),
      id: "/Namespace//x",
    },
    {
      does: "does not change objects of unknown kinds",
      spec: {},
      given: widget,
      id: "example.dev/Widget//w",
    },
  ])("$does", ({ spec, given, id }) => {
    const { objects } = prepareManifests(asRendered([given]), aRelease({ spec }), aCatalog());
    expect(objects.map((object) => object.id)).toEqual([id]);
  });

  test("removes stamps and owner references that a source copied from a cluster", () => {
    const { metadata, ...rest } = configMap;
    const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u" };
    const annotations = { [stamps.template]: "t", [stamps.generation]: "7", note: "n" };
    const [object] = asPrepared([
      { ...rest, metadata: { ...metadata, annotations, ownerReferences: [owner] } },
    ]).objects;
    expect(object?.manifest.metadata.ownerReferences).toBeUndefined();
    expect(Object.keys(object?.manifest.metadata.annotations ?? {}).toSorted()).toEqual([
      "fairlead.dev/digest",
      "fairlead.dev/owner",
      "note",
    ]);
  });

  test("uses the scope of kinds that its own definitions create, before the cluster has them", () => {
    const { objects } = asPrepared([widget, definition]);
    expect(objects.map(({ id, kind, needs }) => ({ id, known: kind !== undefined, needs }))).toEqual([
      { id: "apiextensions.k8s.io/CustomResourceDefinition//widgets.example.dev", known: true, needs: [] },
      {
        id: "example.dev/Widget/shop/w",
        known: false,
        needs: ["apiextensions.k8s.io/CustomResourceDefinition//widgets.example.dev"],
      },
    ]);
  });

  test("overrides the object's labels and annotations by the target's, and includes them in its digest", () => {
    const given = aSourceManifest("v1", "ConfigMap", "web", { labels: { team: "a", app: "web" } });
    const prepare = (team: string) =>
      prepareManifests(
        asRendered([given]),
        aRelease({ spec: { target: { labels: { team }, annotations: { note: "n" } } } }),
        aCatalog(),
      );
    const [first, second] = [prepare("b"), prepare("c")];
    expect(first.objects[0]?.manifest.metadata.labels).toMatchObject({ team: "b", app: "web" });
    expect(first.objects[0]?.manifest.metadata.annotations).toMatchObject({ note: "n" });
    expect(first.digest).not.toBe(second.digest);
  });

  test("orders by stage, and keeps the given order within a stage", () => {
    const { objects } = asPrepared([
      webhook,
      aSourceManifest("v1", "Service", "b"),
      aSourceManifest("v1", "Service", "a"),
      deployment,
      configMap,
      aSourceManifest("storage.k8s.io/v1", "StorageClass", "fast"),
      namespace,
    ]);
    expect(
      objects.map(({ stage, manifest }) => `${stage} ${manifest.kind} ${manifest.metadata.name}`),
    ).toEqual([
      "0 Namespace shop",
      "1 StorageClass fast",
      "2 ConfigMap web",
      "3 Deployment web",
      "4 Service b",
      "4 Service a",
      "5 ValidatingWebhookConfiguration w",
    ]);
  });

  test("moves an object that needs one of a later stage into that stage, with its dependents", () => {
    // The ConfigMap needs the Deployment, and the Secret needs the ConfigMap.
    const secret = aSourceManifest("v1", "Secret", "web");
    const { objects, isOrdered } = asPrepared([secret, configMap, deployment], { 0: [1], 1: [2] });
    expect(isOrdered).toBe(true);
    expect(objects.map(({ stage, id }) => `${stage} ${id}`)).toEqual([
      "3 apps/Deployment/shop/web",
      "3 /ConfigMap/shop/web",
      "3 /Secret/shop/web",
    ]);
  });

  test("makes objects need their namespace if the Release contains it", () => {
    const { objects } = asPrepared([deployment, namespace]);
    expect(objects.at(-1)?.needs).toEqual(["/Namespace//shop"]);
  });

  test("creates the target namespace on request, never deletes it, and omits an existing one", () => {
    const spec = { target: { namespace: "prod", createNamespace: true } };
    const prepare = (...given: Parameters<typeof asRendered>) =>
      prepareManifests(asRendered(...given), aRelease({ spec }), aCatalog()).objects.map(
        ({ id, isEnsured, manifest }) => ({
          id,
          isEnsured,
          kept: manifest.metadata.annotations?.["fairlead.dev/prune"],
        }),
      );
    expect(prepare([configMap])).toEqual([
      { id: "/Namespace//prod", isEnsured: true, kept: "disabled" },
      { id: "/ConfigMap/prod/web", isEnsured: false, kept: undefined },
    ]);
    expect(prepare([aSourceManifest("v1", "Namespace", "prod")])).toEqual([
      { id: "/Namespace//prod", isEnsured: false, kept: undefined },
    ]);
  });

  test("refuses two manifests that are the same object after namespaces are set", () => {
    const twin = aSourceManifest("v1", "ConfigMap", "web", { namespace: "shop" });
    expect(failureOf(() => asPrepared([configMap, twin]))).toBe(
      'Cannot apply the manifests of the source: file-0.yaml:1 and file-1.yaml:1 both define ConfigMap shop/web (objects without a namespace go to "shop")',
    );
  });

  test("refuses the Release itself, and accepts another one", () => {
    const self = aSourceManifest("fairlead.dev/v1alpha1", "Release", "web");
    expect(failureOf(() => asPrepared([self]))).toContain(
      "file-0.yaml:1 defines Release shop/web, which is this Release itself",
    );
    expect(asPrepared([aSourceManifest("fairlead.dev/v1alpha1", "Release", "db")]).objects).toHaveLength(1);
  });

  test("refuses a cycle, and reports it with the files of its objects", () => {
    const secret = aSourceManifest("v1", "Secret", "web");
    expect(failureOf(() => asPrepared([configMap, deployment, secret], { 0: [1], 1: [2], 2: [0] }))).toBe(
      "Cannot apply the manifests of the source: these objects depend on each other: " +
        "ConfigMap shop/web (file-0.yaml:1) → Deployment shop/web (file-1.yaml:1) → Secret shop/web (file-2.yaml:1) → ConfigMap shop/web (file-0.yaml:1)",
    );
  });

  test("a Job has the digest of its content as its generation", () => {
    const job = (image: string) =>
      aSourceManifest("batch/v1", "Job", "migrate", { fields: { spec: { image } } });
    const generationOf = (image: string) =>
      asPrepared([job(image)]).objects[0]?.manifest.metadata.annotations?.[stamps.generation];
    expect(generationOf("a")).toBe(generationOf("a"));
    expect(generationOf("a")).not.toBe(generationOf("b"));
  });
});
