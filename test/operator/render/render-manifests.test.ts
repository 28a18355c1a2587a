import { describe, expect, test } from "vitest";
import type { Rendered } from "../../../operator/render/ports.ts";
import { renderManifests } from "../../../operator/render/render-manifests.ts";
import { Turns } from "../../../operator/render/turns.ts";
import { digestOf, toCanonicalJson } from "../../../synth/digest.ts";
import { FakeClock } from "../../fakes/fake-clock.ts";
import { MemoryFiles, type MemoryFilesOptions } from "../../fakes/memory-files.ts";

type Files = Readonly<Record<string, string | Buffer>>;

function render(files: Files, options?: MemoryFilesOptions): Promise<Rendered> {
  return renderManifests(new MemoryFiles(files, options), new Turns(new FakeClock()).begin());
}

/** Reason and message of a failed render. */
async function failureOf(files: Files, options?: MemoryFilesOptions): Promise<string> {
  const error: unknown = await render(files, options).then(
    () => "no failure",
    (thrown: unknown) => thrown,
  );
  const { reason, message } = error as { reason?: string; message?: string };
  return `${reason}: ${message}`;
}

const named = (kind: string, name: string, more = ""): string =>
  `apiVersion: v1\nkind: ${kind}\nmetadata:\n  name: ${name}\n${more}`;

describe("renderManifests()", () => {
  test("reads all YAML and JSON files below the folder, in their order", async () => {
    const rendered = await render({
      "b.yml": `${named("ConfigMap", "b")}---\n${named("Secret", "b")}`,
      "a/deep/down.json": '{"kind": "Service", "apiVersion": "v1", "metadata": {"name": "a"}}',
      "c.yaml": `kind: List\napiVersion: v1\nitems:\n- ${named("ConfigMap", "c").replaceAll("\n", "\n  ")}\n`,
      "README.md": "# text",
      ".github/workflow.yaml": "on: push",
      "web/.hidden.yaml": "no: manifest",
      "main.ts": "",
    });
    expect(rendered.manifests).toEqual([
      { apiVersion: "v1", kind: "Service", metadata: { name: "a" } },
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "b" } },
      { apiVersion: "v1", kind: "Secret", metadata: { name: "b" } },
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" } },
    ]);
    expect(rendered.origins).toEqual(["a/deep/down.json:1", "b.yml:1", "b.yml:6", "c.yaml:1 items[0]"]);
    expect(rendered.digest).toBe(digestOf(toCanonicalJson(rendered.manifests)));
    expect([...rendered.dependencies]).toEqual([]);
    expect(rendered).not.toHaveProperty("warnings");
  });

  test("returns no objects for a folder without manifests", async () => {
    const rendered = await render({ "README.md": "" });
    expect(rendered.manifests).toEqual([]);
    expect(rendered.digest).toBe(digestOf("[]"));
  });

  test("returns the same digest for the same objects in any notation", async () => {
    const yaml = await render({ "a.yaml": named("ConfigMap", "a", "data: {x: '1', v: &y z, w: *y}\n") });
    const json = await render({
      "b.json":
        '{"data":{"w":"z","v":"z","x":"1"},"metadata":{"name":"a"},"kind":"ConfigMap","apiVersion":"v1"}',
    });
    expect(yaml.digest).toBe(json.digest);
    expect(toCanonicalJson(yaml.manifests)).toBe(JSON.stringify(yaml.manifests));
  });

  test("excludes the paths in .fairleadignore, also links", async () => {
    const files = {
      ".fairleadignore": "package.json\nold\n",
      "package.json": "{}",
      "old/wrong.yaml": "no: manifest",
      "web/.fairleadignore": "*.yaml\n!a.yaml\n",
      "web/a.yaml": named("ConfigMap", "a"),
      "web/b.yaml": "no: manifest",
    };
    const refused = [{ path: "old/link", what: "symlink" } as const];
    expect((await render(files, { refused })).origins).toEqual(["web/a.yaml:1"]);
  });

  test("warns of removed fields", async () => {
    const rendered = await render({ "a.yaml": named("ConfigMap", "a", "  uid: x\nstatus: {a: b}\n") });
    expect(rendered.manifests).toEqual([{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } }]);
    expect(rendered.warnings).toEqual([
      "a.yaml:1: ignored because the cluster sets it: metadata.uid, status",
    ]);
  });

  test.for([
    {
      what: "a repeated object",
      files: { "a.yaml": named("ConfigMap", "a"), "b/c.yaml": `# x\n---\n${named("ConfigMap", "a")}` },
      says: 'RenderFailed: b/c.yaml:3: ConfigMap "a" is defined twice, also in a.yaml:1',
    },
    {
      what: "a repeated object in different versions of its kind",
      files: {
        "a.yaml":
          "apiVersion: apps/v1\nkind: A\nmetadata: {name: a, namespace: b}\n---\napiVersion: apps/v2\nkind: A\nmetadata: {name: a, namespace: b}\n",
      },
      says: 'RenderFailed: a.yaml:5: A "b/a" is defined twice, also in a.yaml:1',
    },
    {
      what: "other files, with the line",
      files: { "values.yaml": "# values\nreplicas: 1\n" },
      says: "RenderFailed: values.yaml:2: apiVersion: is missing; if it is not a Kubernetes object, exclude the file in .fairleadignore",
    },
    {
      what: "an invalid field, with its line",
      files: { "a.yaml": named("ConfigMap", "a", "  labels:\n    a: b\n    version: 1.0\n") },
      says: 'RenderFailed: a.yaml:7: metadata.labels["version"]: expected text, found a number; put it in quotes',
    },
    {
      what: "an invalid field of JSON, with its line",
      files: { "a.json": '{\n"apiVersion": "v1",\n"kind": "A",\n"metadata": {\n"name": 5}}' },
      says: "RenderFailed: a.json:5: metadata.name: expected text, found a number; put it in quotes",
    },
    {
      what: "an invalid object of a list",
      files: { "a.yaml": "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  metadata: {name: a}\n" },
      says: "RenderFailed: a.yaml:4: kind: is missing; if it is not a Kubernetes object, exclude the file in .fairleadignore",
    },
    {
      what: "a repeated key",
      files: { "a.yaml": named("ConfigMap", "a", "data:\n  a: x\n  a: y\n") },
      says: 'RenderFailed: a.yaml:7: the key "a" is defined twice',
    },
    {
      what: "names with line ends and other control characters",
      files: { "a\n\u202e$(x).yaml": "x: 1\n" },
      says: "RenderFailed: a\\u{a}\\u{202e}$(x).yaml:1: apiVersion: is missing; if it is not a Kubernetes object, exclude the file in .fairleadignore",
    },
    {
      what: "a bomb of aliases",
      files: {
        "a.yaml": `${named("ConfigMap", "a")}data:\n  a: &a [${"x,".repeat(1_000)}]\n  b: &b [${"*a,".repeat(1_000)}]\n  c: [${"*b,".repeat(1_000)}]\n`,
      },
      says: "RenderLimit: a.yaml:7: its aliases expand to too much data",
    },
    {
      what: "templates",
      files: { "templates/a.yaml": "apiVersion: v1\nkind: A\nmetadata:\n  name: {{ .Release.Name }}\n" },
      says: "RenderFailed: templates/a.yaml:4: a key is not text; it looks like a template, which is not supported",
    },
    {
      what: "a long name",
      files: { [`${"a".repeat(256)}.yaml`]: named("ConfigMap", "a") },
      says: `RenderLimit: ${"a".repeat(179)}…${"a".repeat(15)}.yaml: the name is too long`,
    },
  ])("refuses $what", async ({ files, says }) => {
    expect(await failureOf(files)).toBe(says);
  });

  test.for([
    { what: "symlink" as const, name: "a symbolic link" },
    { what: "submodule" as const, name: "a submodule" },
  ])("refuses $name by its name", async ({ what, name }) => {
    expect(await failureOf({}, { refused: [{ path: "data\n/it", what }] })).toBe(
      `RenderFailed: data\\u{a}/it: is ${name}, which is not followed; remove it, or exclude it in .fairleadignore`,
    );
  });

  test("refuses large files and folders before it reads them", async () => {
    const large = new MemoryFiles({ "a.yaml": Buffer.alloc(4 * 1_048_576 + 1, "#") });
    const turn = new Turns(new FakeClock()).begin();
    await expect(renderManifests(large, turn)).rejects.toThrow("a.yaml: is larger than 4 MiB");
    const many = Object.fromEntries(
      Array.from({ length: 17 }, (_, index) => [`${index}.yaml`, Buffer.alloc(4 * 1_048_576, "#")]),
    );
    const folder = new MemoryFiles(many);
    await expect(renderManifests(folder, turn)).rejects.toThrow("more than 64 MiB in all");
    expect([large.calls.read, folder.calls.read]).toEqual([0, 0]);
  });

  test("refuses a folder whose objects exceed the memory limit", async () => {
    const spec = `spec:\n  list: [${"{},".repeat(20_000)}{}]\n`;
    const files = new MemoryFiles({
      "a.yaml": named("Heavy", "a", spec),
      "b.yaml": named("Heavy", "b", spec),
    });
    const turn = new Turns(new FakeClock()).begin();
    await expect(renderManifests(files, turn, { memoryLimit: 3 * 1_048_576 })).rejects.toMatchObject({
      reason: "RenderLimit",
      message: expect.stringContaining("the objects of the folder take more than 3.0 MiB of memory"),
    });
  });

  test("refuses a file that takes much more memory than text, before it reads it", async () => {
    const list = "{},".repeat(1_300_000);
    const sizes = {
      "a.json": { text: `{"kind":"List","items":[${list}{}]}`, mebibytes: "152\\.\\d" },
      "b.yaml": { text: `kind: List\nitems: [${list}{}]\n`, mebibytes: "350\\.\\d" },
    };
    for (const [name, { text, mebibytes }] of Object.entries(sizes))
      expect(await failureOf({ [name]: text })).toMatch(
        new RegExp(
          `^RenderLimit: ${name}: reading it may take ${mebibytes} MiB of memory, at most 64\\.0 MiB are allowed; split it$`,
        ),
      );
  });

  test("refuses more than 10,000 objects", async () => {
    const text = Array.from({ length: 10_001 }, (_, index) => named("ConfigMap", `a${index}`)).join("---\n");
    expect(await failureOf({ "a.yaml": text })).toMatch(
      /^RenderLimit: the folder has more than 10000 objects/,
    );
  });
});

describe("renderManifests() of a folder that is written for another tool", () => {
  const page = "see docs/release-manifests.md#files-of-other-tools";
  const kustomize = `is a file of Kustomize, which is not rendered here; ${page}`;
  const patch = "- op: replace\n  path: /spec/replicas\n  value: 3\n";
  const typed = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [a.yaml]\n";

  test.for([
    { path: "kustomization.yaml", content: "resources: [a.yaml]\n", says: kustomize },
    { path: "base/kustomization.yml", content: typed, says: kustomize },
    { path: "Kustomization", content: typed.replace("kustomize", '"kustomize'), says: kustomize },
    {
      path: "web/Chart.yaml",
      content: "apiVersion: v2\nname: web\nversion: 1.0.0\n",
      says: `is part of a Helm chart, which is not rendered here; ${page}`,
    },
  ])("reports the tool of $path first", async ({ path, content, says }) => {
    const files = { "a-patch.yaml": patch, "a/templates/x.yaml": "{{ if }}", [path]: content };
    expect(await failureOf(files)).toBe(`RenderFailed: ${path}: ${says}`);
  });

  test("applies Kubernetes objects in files of these names, and ignores excluded files", async () => {
    const flux = named("Kustomization", "apps").replace("v1", "kustomize.toolkit.fluxcd.io/v1");
    const rendered = await render({
      "kustomization.yaml": flux,
      "Chart.yaml": named("ConfigMap", "chart"),
      "base/kustomization.yaml": "resources: []",
      ".fairleadignore": "/base/",
      "a/.hidden/Chart.yaml": "apiVersion: v2",
    });
    expect(rendered.manifests.map(({ kind }) => kind)).toEqual(["ConfigMap", "Kustomization"]);
  });

  test("reports that an object encrypted with SOPS is not decrypted", async () => {
    const secret = named("Secret", "keys", "sops:\n  mac: ENC[AES256_GCM]\n");
    expect(await failureOf({ "keys.yaml": secret })).toBe(
      `RenderFailed: keys.yaml:5: is encrypted with SOPS, which is not decrypted here; ${page}`,
    );
  });
});
