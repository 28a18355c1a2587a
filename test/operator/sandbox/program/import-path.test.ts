import { describe, expect, test } from "vitest";
import { resolveImport } from "../../../../operator/sandbox/program/import-path.ts";

const folder = {
  files: new Set(["main.ts", "shop/web.ts", "shop/index.ts", "shop/data.json", "old.js", "crds.yaml"]),
  refused: new Map([
    ["linked", "symlink"],
    ["vendor/lib", "submodule"],
  ]),
};

describe("resolveImport()", () => {
  test.for([
    { does: "resolves the entry", specifier: "main.ts", importer: undefined, is: { path: "main.ts" } },
    {
      does: "resolves an entry in a folder",
      specifier: "./shop/web.ts",
      importer: undefined,
      is: { path: "shop/web.ts" },
    },
    {
      does: "resolves a file in the same folder",
      specifier: "./web.ts",
      importer: "shop/index.ts",
      is: { path: "shop/web.ts" },
    },
    {
      does: "resolves a file in a parent folder",
      specifier: "../crds.yaml",
      importer: "shop/web.ts",
      is: { path: "crds.yaml" },
    },
    {
      does: "resolves x.js to x.ts",
      specifier: "./shop/web.js",
      importer: "main.ts",
      is: { path: "shop/web.ts" },
    },
    {
      does: "resolves x.js to an existing file",
      specifier: "./old.js",
      importer: "main.ts",
      is: { path: "old.js" },
    },
    { does: "adds the extension", specifier: "./shop/web", importer: "main.ts", is: { path: "shop/web.ts" } },
    {
      does: "resolves a folder's index",
      specifier: "./shop",
      importer: "main.ts",
      is: { path: "shop/index.ts" },
    },
    { does: "resolves cdk8s", specifier: "cdk8s", importer: "main.ts", is: { library: "cdk8s" } },
    {
      does: "resolves cdk8s-plus-27",
      specifier: "cdk8s-plus-27",
      importer: "main.ts",
      is: { library: "cdk8s-plus-27" },
    },
    {
      does: "resolves the constructs of Pipelines",
      specifier: "fairlead/delivery",
      importer: "main.ts",
      is: { library: "fairlead/delivery" },
    },
  ])("$does", ({ specifier, importer, is }) => {
    expect(resolveImport(specifier, importer, folder)).toEqual(is);
  });

  test.for([
    { does: "a file that does not exist", specifier: "./none.ts", says: "there is no none.ts" },
    { does: "a path out of the folder", specifier: "../main.ts", says: "it leaves the folder" },
    {
      does: "a path out of the folder and back",
      specifier: "./x/../../main/main.ts",
      says: "it leaves the folder",
    },
    { does: "a symlink", specifier: "./linked", says: "linked is a symlink" },
    { does: "a path inside a submodule", specifier: "./vendor/lib/a.ts", says: "vendor/lib is a submodule" },
    { does: "an absolute path", specifier: "/etc/passwd", says: "relative paths" },
    { does: "a URL", specifier: "file:///etc/passwd", says: "relative paths" },
    { does: "a module from the network", specifier: "https://example.dev/a.js", says: "relative paths" },
    { does: "a module of Node", specifier: "node:fs", says: "cannot use Node modules" },
    {
      does: "a module of Node without its prefix",
      specifier: "fs/promises",
      says: "cannot use Node modules",
    },
    { does: "other packages", specifier: "lodash", says: "no other packages" },
    { does: "a file of a library", specifier: "cdk8s/lib/app", says: 'import it from "cdk8s" itself' },
  ])("rejects $does, with the reason", ({ specifier, says }) => {
    expect(resolveImport(specifier, "main.ts", folder)).toEqual({ refused: expect.stringContaining(says) });
  });
});
