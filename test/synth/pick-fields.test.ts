import { describe, expect, test } from "vitest";
import { pickFields } from "../../synth/pick-fields.ts";

const allowed = ["spec.revision", "spec.next", "spec.render.values"];
const aManifest = (content: object, metadata: object = {}) => ({
  apiVersion: "fairlead.dev/v1alpha1",
  kind: "Release",
  metadata: { name: "web", namespace: "shop", ...metadata },
  ...content,
});
const pick = (content: object, metadata: object = {}) =>
  pickFields(aManifest(content, metadata), allowed, "Pipeline shop/web");

describe("pickFields()", () => {
  test.for([
    { content: { spec: { revision: "a" } }, fields: ["spec.revision"] },
    { content: { spec: { next: { a: [1], b: {} }, revision: "" } }, fields: ["spec.revision", "spec.next"] },
    { content: { spec: { render: { values: { a: 1 } } } }, fields: ["spec.render.values"] },
  ])("returns $fields and their values", ({ content, fields }) => {
    expect(pick(content)).toEqual({ manifest: aManifest(content), fields });
  });

  test.for([{}, { spec: {} }, { spec: { render: {} } }])(
    "returns no fields of %o, and no empty struct",
    (content) => {
      expect(pick(content)).toEqual({ manifest: aManifest({}), fields: [] });
    },
  );

  test.for([
    { content: { spec: { revision: "a", suspend: true } }, field: "spec.suspend" },
    { content: { spec: { render: { values: {}, path: "x" } } }, field: "spec.render.path" },
    { content: { spec: { render: "x" } }, field: "spec.render" },
    { content: { spec: { revision: null } }, field: "spec.revision" },
    { content: { spec: "x" }, field: "spec" },
    { content: { spec: [] }, field: "spec" },
    { content: { data: {} }, field: "data" },
    { content: { status: { revision: "a" } }, field: "status" },
    { metadata: { finalizers: ["a/b"] }, field: "metadata.finalizers" },
    { metadata: { ownerReferences: [] }, field: "metadata.ownerReferences" },
    { metadata: { annotations: { a: "b" } }, field: "metadata.annotations" },
  ])("refuses $field", ({ content = {}, metadata = {}, field }) => {
    expect(() => pick(content, metadata)).toThrow(
      `Cannot synthesize "Pipeline shop/web": its chart sets ${field} of Release "web", which it does not own; ` +
        "it may set only spec.revision and spec.next and spec.render.values",
    );
  });

  test("ignores the labels that a chart adds to all its objects", () => {
    expect(pick({ spec: { revision: "a" } }, { labels: { a: "b" } }).fields).toEqual(["spec.revision"]);
  });
});
