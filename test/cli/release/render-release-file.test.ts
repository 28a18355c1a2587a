import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { kinds } from "../../../charts/bindings.ts";
import { renderReleaseFile } from "../../../cli/release/render-release-file.ts";

const aRelease = (more = ""): string =>
  [
    "apiVersion: fairlead.dev/v1alpha1",
    "kind: Release",
    "metadata: {name: web, namespace: shop}",
    "spec:",
    "  source: {url: https://git.example.com/shop.git}",
    "  render: {manifests: {}}",
    "  target: {namespace: prod, createNamespace: true, labels: {team: shop}}",
    more,
  ].join("\n");

describe("renderReleaseFile()", () => {
  let source: string;
  beforeEach(async () => {
    vi.stubEnv("CI", "");
    source = await mkdtemp(join(tmpdir(), "fairlead-render-"));
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await rm(source, { recursive: true, force: true });
  });
  const render = (text: string, folder: string | undefined = source) =>
    renderReleaseFile(text, {
      weakSandbox: false,
      file: "release.yaml",
      namespace: "default",
      source: folder,
      kinds: kinds.map(({ definition }) => definition),
    });

  test("shows the objects of a folder as they would be applied", async () => {
    await writeFile(
      join(source, "all.yaml"),
      [
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: 'shop:web'}\n",
        "apiVersion: mmontes.io/v1alpha1\nkind: Echo\nmetadata: {name: e}\nspec: {message: hi}\n",
        "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: t}\n",
      ].join("---\n"),
    );
    const rendered = await render(aRelease());
    expect(rendered?.errors).toEqual([]);
    expect(rendered?.warnings).toEqual([
      "all.yaml:14: without a cluster it is unknown whether a Thing has a namespace; its namespace is shown as written",
    ]);
    const placed = rendered?.manifests.map(({ kind, metadata }) => [
      kind,
      metadata.namespace,
      metadata.labels?.["team"],
    ]);
    expect(placed?.toSorted()).toEqual([
      ["ClusterRole", undefined, "shop"],
      ["ConfigMap", "prod", "shop"],
      ["Echo", "prod", "shop"],
      ["Namespace", undefined, "shop"],
      ["Thing", undefined, "shop"],
    ]);
  });

  test("reports file, line and field of an error", async () => {
    await writeFile(join(source, "a.yaml"), "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: 5}\n");
    expect(await render(aRelease())).toEqual({
      manifests: [],
      warnings: [],
      errors: [
        "release.yaml: Release shop/web: a.yaml:3: metadata.name: expected text, found a number; put it in quotes",
      ],
    });
  });

  test("ignores other resources", async () => {
    const text = "apiVersion: mmontes.io/v1alpha1\nkind: Echo\nmetadata: {name: a}\n";
    const options = { file: "echo.yaml", namespace: "a", weakSandbox: false, kinds: [] };
    expect(await renderReleaseFile(text, { ...options, source: undefined })).toBeUndefined();
    expect(await renderReleaseFile(text, { ...options, source })).toMatchObject({
      errors: ["echo.yaml: it has no Release, but --source needs one"],
    });
  });

  test("reports what is missing", async () => {
    const errorsOf = async (text: string, folder?: string) => (await render(text, folder))?.errors;
    expect(
      await renderReleaseFile(aRelease(), {
        weakSandbox: false,
        file: "release.yaml",
        namespace: "a",
        source: undefined,
        kinds: [],
      }),
    ).toMatchObject({
      errors: [
        "release.yaml: the source of a Release is a git repository; give a local copy of its folder with --source FOLDER",
      ],
    });
    expect(await errorsOf(`${aRelease()}\n---\n${aRelease()}`)).toEqual([
      "release.yaml: has several Releases (shop/web, shop/web), but --source is the folder of one; use a file with one Release",
    ]);
    expect(await errorsOf(aRelease("  interval: 1"))).toEqual([expect.stringContaining("spec.interval")]);
    expect(await errorsOf(aRelease(), join(source, "nothing"))).toEqual([
      expect.stringContaining("Cannot read the folder"),
    ]);
  });
});
