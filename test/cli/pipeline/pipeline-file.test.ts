import { describe, expect, test } from "vitest";
import { readPipelineFile } from "../../../cli/pipeline/pipeline-file.ts";

const pipeline = `apiVersion: fairlead.dev/v1alpha1
kind: Pipeline
metadata: { name: shop }
spec:
  source: { url: https://git.test/shop.git }
  stages: [{ name: dev, releases: [{ name: web }] }]
`;
const release = `apiVersion: fairlead.dev/v1alpha1
kind: Release
metadata: { name: web, namespace: shop-dev }
spec:
  source: { url: https://git.test/shop.git, ref: { pipeline: shop, stage: dev, namespace: shop } }
  render: { manifests: {} }
`;
const account = "apiVersion: v1\nkind: ServiceAccount\nmetadata: { name: web }\n";
const read = (...documents: readonly string[]) =>
  readPipelineFile(documents.join("---\n"), { file: "shop.yaml", namespace: "here" });

describe("a file with a Pipeline", () => {
  test("has the Pipeline with its defaults, and the Releases by namespace and name", () => {
    const namespace = "apiVersion: v1\nkind: Namespace\nmetadata: { name: shop-dev }\n";
    const found = read(account, namespace, pipeline, release);
    expect([...found.namespaces]).toEqual(["shop-dev"]);
    expect(found.pipeline.metadata).toMatchObject({ name: "shop", namespace: "here" });
    expect(found.pipeline.spec).toMatchObject({ stages: [{ name: "dev" }], suspend: false });
    expect([...found.releases.keys()]).toEqual(["shop-dev/web"]);
    expect(found.releases.get("shop-dev/web")?.spec).toMatchObject({ prune: true });
  });

  test.each([
    { does: "without a Pipeline", documents: [release], says: "Cannot use shop.yaml: it has no Pipeline" },
    {
      does: "with several",
      documents: [pipeline, pipeline],
      says: "Cannot use shop.yaml: it has several Pipelines; use a file for each",
    },
    {
      does: "with a Pipeline that is not valid",
      documents: [pipeline.replace("name: dev", "name: dev.eu")],
      says: /^Cannot use shop\.yaml, document 1: spec\.stages\.0\.name: /,
    },
    {
      does: "with a Release that is not valid",
      documents: [pipeline, release.replace("manifests: {}", "manifests: 1")],
      says: /^Cannot use shop\.yaml, document 2: spec\.render/,
    },
    { does: "that is no YAML", documents: ["a: ["], says: /^Cannot read shop\.yaml, document 1: / },
    {
      does: "with stages in a circle",
      documents: [pipeline.replace("name: dev,", "name: dev, after: [dev],")],
      says: "Cannot use shop.yaml, document 1: stages come after each other: dev → dev",
    },
  ])("is refused $does", ({ documents, says }) => {
    expect(() => read(...documents)).toThrow(says);
  });
});
