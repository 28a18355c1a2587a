import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { importTable } from "./import-table.ts";

const root = resolve(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const codeOf = (page: string): string[] => [...page.matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code);

const sources = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
  (file) => file.endsWith(".ts") && !/(^|\/)(node_modules|dist)\//.test(file),
);

describe("ARCHITECTURE.md", () => {
  const page = read("ARCHITECTURE.md");
  const [, map = ""] = page.split("\n## The map\n");
  const folders = [...map.matchAll(/^\| (`[^|]*`) \|/gm)].flatMap(([, cell = ""]) => codeOf(cell));

  test("has at most 150 lines", () => {
    expect(page.trimEnd().split("\n").length).toBeLessThanOrEqual(150);
  });

  test("has a map of folders that exist", () => {
    expect(folders).toContain("operator/cluster/");
    expect(folders.filter((path) => path.endsWith("/") && !existsSync(join(root, path)))).toEqual([]);
  });

  test("shows each top-level folder and each folder of operator/ that the import table has", () => {
    const ruled = Object.keys(importTable).filter((key) => !key.endsWith(".ts") && key !== "operator");
    const expected = new Set(
      ruled.map((key) => key.match(/^operator\/[^/]+|^[^/]+/)?.[0]).map((folder) => `${folder}/`),
    );
    const isShown = (folder: string): boolean => folders.some((row) => row.startsWith(folder));
    expect([...expected].filter((folder) => !isShown(folder))).toEqual([]);
  });
});

describe("docs/decisions.md", () => {
  const page = read("docs/decisions.md");

  test("has a date for each decision", () => {
    const entries = [...page.matchAll(/^- .*/gm)].map(([entry]) => entry);
    expect(entries.length).toBeGreaterThan(100);
    expect(entries.filter((entry) => !/^- \d{4}-\d\d-\d\d: /.test(entry))).toEqual([]);
  });
});

test.for(["ARCHITECTURE.md", "docs/decisions.md"])("%s names only TypeScript files that exist", (path) => {
  const named = codeOf(read(path)).filter((code) => /^[\w./-]+\.ts$/.test(code));
  expect(named.length).toBeGreaterThan(5);
  const missing = named.filter((name) => !sources.some((file) => file === name || file.endsWith(`/${name}`)));
  expect(missing).toEqual([]);
});
