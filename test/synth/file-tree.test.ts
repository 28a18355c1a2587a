import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { filesOf, folderOf } from "../../synth/file-tree.ts";
import { idOf, type Manifest } from "../../synth/manifest.ts";
import { synthesize } from "../../synth/synthesize.ts";
import { aConfigMap, aGadgetKind, Gadget } from "../fakes/gadget.ts";
import { observe } from "../fakes/observed.ts";
import { aResource } from "../fakes/resources.ts";
import { limitRuns } from "../long.ts";

const owner = aResource(aGadgetKind());
const anObject = (apiVersion: string, kind: string, name: string, namespace?: string): Manifest => ({
  apiVersion,
  kind,
  metadata: { name, ...(namespace !== undefined && { namespace }) },
});
const pathsOf = (...manifests: readonly Manifest[]) => [...filesOf(manifests, owner).keys()];

const safeSegment = /^(?![.-])[a-z0-9_.-]{1,200}(?<!\.)$/;
const device = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/;

/** Names as in clusters, and some that only RBAC or a mistake would contain. */
const aName = fc.oneof(
  fc.constantFrom(
    "web",
    "web-1",
    "a.b",
    "con",
    "aux.x",
    "nul",
    "com1",
    "-a",
    ".git",
    "..",
    "a.",
    "A",
    "a_b",
    "system:node",
    "web.yaml",
    "é",
    "/",
    "\\",
    "a/b",
  ),
  fc.stringMatching(/^[a-z0-9]([a-z0-9.-]{0,20}[a-z0-9])?$/),
  fc.string({ minLength: 1, unit: "binary" }),
  fc.string({ minLength: 190, maxLength: 260, unit: fc.constantFrom("a", "-", ".", "B", "c") }),
);
const aManifest = fc
  .record({
    apiVersion: fc.constantFrom("v1", "a/v1", "a.b/v1", "b-c/v1", "c/v2"),
    kind: fc.constantFrom("Foo", "FOO", "Foo-B", "Bar", "Secret", "Con"),
    name: aName,
    namespace: fc.option(fc.constantFrom("shop", "other", "b", "foo-x.yaml"), { nil: undefined }),
  })
  .map(({ apiVersion, kind, name, namespace }) => anObject(apiVersion, kind, name, namespace));

describe("folderOf()", () => {
  test("is namespace, kind and name", () => {
    expect(folderOf(Gadget, owner)).toBe("shop/gadgets.example.dev/web");
    const cluster = { ...Gadget, namespaced: false };
    expect(folderOf(cluster, aResource(aGadgetKind(), { namespace: null }))).toBe(
      "_cluster/gadgets.example.dev/web",
    );
  });

  test("is safe, and unique for every resource", () => {
    const aResourceId = fc.record({ name: aName, namespace: fc.oneof(aName, fc.constant("_cluster")) });
    fc.assert(
      fc.property(
        fc.uniqueArray(aResourceId, {
          selector: ({ name, namespace }) => JSON.stringify([name, namespace]),
          minLength: 2,
        }),
        (ids) => {
          const folders = ids.map(({ name, namespace }) =>
            folderOf(Gadget, { metadata: { ...owner.metadata, name, namespace } }),
          );
          expect(new Set(folders).size).toBe(folders.length);
          for (const segment of folders.flatMap((folder) => folder.split("/"))) {
            expect(segment).toMatch(safeSegment);
            expect(segment).not.toMatch(device);
          }
          expect(folders.every((folder) => folder.split("/").length === 3)).toBe(true);
        },
      ),
    );
  });
});

describe("filesOf()", () => {
  test.for([
    {
      does: "names kind and child",
      manifests: [anObject("apps/v1", "Deployment", "web", "shop")],
      paths: ["deployment-web.yaml"],
    },
    {
      does: "adds a folder for another namespace",
      manifests: [anObject("v1", "Secret", "a", "other")],
      paths: ["other/secret-a.yaml"],
    },
    {
      does: "adds none for a cluster-scoped object",
      manifests: [anObject("v1", "Namespace", "n")],
      paths: ["namespace-n.yaml"],
    },
    {
      does: "adds the group if two kinds have one name",
      manifests: [
        anObject("v1", "Service", "a", "shop"),
        anObject("serving.knative.dev/v1", "Service", "a", "shop"),
      ],
      paths: ["service-a.yaml", "service.serving.knative.dev-a.yaml"],
    },
    {
      does: "escapes other characters",
      manifests: [anObject("v1", "Role", "system:Node", "shop")],
      paths: ["role-system-node_f395074f.yaml"],
    },
  ])("$does", ({ manifests, paths }) => {
    expect(pathsOf(...manifests)).toEqual(paths);
  });

  test("distinguishes objects whose concatenated kind and name are equal", () => {
    const twins = [anObject("v1", "Foo", "b-x", "shop"), anObject("v1", "Foo-B", "x", "shop")];
    expect(pathsOf(...twins)).toEqual([
      expect.stringMatching(/^foo-b-x_[0-9a-f]{8}\.yaml$/),
      expect.stringMatching(/^foo-b-x_[0-9a-f]{8}\.yaml$/),
    ]);
    expect(new Set(pathsOf(...twins)).size).toBe(2);
    const cases = [anObject("v1", "Foo", "x", "shop"), anObject("v1", "FOO", "x", "shop")];
    expect(new Set(pathsOf(...cases)).size).toBe(2);
  });

  test("never uses the name of a file for a folder", () => {
    const [file, folder = ""] = pathsOf(
      anObject("v1", "Foo", "x", "shop"),
      anObject("v1", "Foo", "y", "foo-x.yaml"),
    );
    expect(file).toBe("foo-x.yaml");
    expect(folder).toMatch(/^foo-x\.yaml_[0-9a-f]{8}\/foo-y\.yaml$/);
  });

  test("uses a safe path for every object, which is not the folder of another file", () => {
    fc.assert(
      fc.property(fc.uniqueArray(aManifest, { selector: idOf, maxLength: 12 }), (manifests) => {
        const paths = pathsOf(...manifests);
        expect(paths.length).toBe(manifests.length);
        const folders = new Set(
          paths.filter((path) => path.includes("/")).map((path) => path.slice(0, path.indexOf("/"))),
        );
        for (const path of paths) {
          expect(folders.has(path)).toBe(false);
          for (const segment of path.split("/")) {
            expect(segment).toMatch(safeSegment);
            expect(segment).not.toMatch(device);
          }
        }
      }),
      { numRuns: limitRuns(300) },
    );
  });

  test("is pure: the order of objects and the content of other objects do not matter", () => {
    fc.assert(
      fc.property(fc.uniqueArray(aManifest, { selector: idOf, maxLength: 8 }), (manifests) => {
        const before = JSON.stringify(manifests);
        const files = filesOf(manifests, owner);
        expect(new Map([...filesOf(manifests.toReversed(), owner)].toSorted())).toEqual(
          new Map([...files].toSorted()),
        );
        expect(JSON.stringify(manifests)).toBe(before);
      }),
    );
  });

  test("contains the chart's manifests, without stamps", () => {
    const kind = aGadgetKind();
    const resource = aResource(kind, { spec: { objects: [aConfigMap("a", { data: { x: "yes" } })] } });
    const files = filesOf(synthesize(kind, resource, observe()).manifests, resource);
    expect(parse(files.get("configmap-a.yaml") ?? "")).toEqual({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "a", namespace: "shop" },
      data: { x: "yes" },
    });
  });

  test("omits the values of a Secret, with a comment", () => {
    const secret = {
      ...anObject("v1", "Secret", "a", "shop"),
      data: { password: "aHVudGVyMg==" },
      stringData: { user: "hunter2" },
    };
    const text = filesOf([secret], owner).get("secret-a.yaml") ?? "";
    expect(text).not.toMatch(/aHVudGVyMg|hunter2/);
    expect(text.split("\n")[0]).toBe("# Values left out: a Secret's data is never published in plain text.");
    expect(parse(text)).toMatchObject({ data: { password: "" }, stringData: { user: "" } });
  });
});
