import { describe, expect, test } from "vitest";
import { readIgnoreRules } from "../../../operator/render/ignore-rules.ts";

const rulesOf = (files: Readonly<Record<string, string>>) => readIgnoreRules(new Map(Object.entries(files)));

describe("readIgnoreRules()", () => {
  const rules = rulesOf({
    ".fairleadignore": "# comment\n*.test.yaml\n!important.test.yaml\n/charts/\nold\n\\#odd.yaml\n",
    "web/.fairleadignore": "*.json\n!keep.test.yaml\n",
    "charts/.fairleadignore": "!deployment.yaml\n",
  });

  test.for([
    ["a.yaml", false],
    ["a.test.yaml", true],
    ["deep/down/a.test.yaml", true],
    ["important.test.yaml", false],
    ["charts/deployment.yaml", true],
    ["web/charts/deployment.yaml", false],
    ["old/a.yaml", true],
    ["web/old/deep/a.yaml", true],
    ["#odd.yaml", true],
    ["web/a.json", true],
    ["web/deep/a.json", true],
    ["a.json", false],
    ["web/keep.test.yaml", false],
    ["web/other.test.yaml", true],
    ["A.TEST.YAML", false],
  ] as const)("%s: %s", ([path, isIgnored]) => {
    expect(rules.isIgnored(path)).toBe(isIgnored);
  });

  test("accepts names with any characters", () => {
    for (const path of ["a\nb.yaml", "..a/b.yaml", "a\\b.yaml", " .yaml", "-rf/$(x).yaml"]) {
      expect(rules.isIgnored(path)).toBe(false);
    }
  });

  test.for([
    {
      what: "more patterns than can be run",
      text: "a\n".repeat(501),
      says: "a/.fairleadignore:501: there are more than 500 patterns",
    },
    {
      what: "patterns that take long",
      text: "ok\n*a*a*a*a",
      says: "a/.fairleadignore:2: a pattern may have 256 characters and 3 wildcards *",
    },
    {
      what: "a long line of tabs, which is a pattern",
      text: "\t".repeat(65_000),
      says: "a/.fairleadignore:1: a pattern may have 256 characters and 3 wildcards *",
    },
    {
      what: "long patterns",
      text: "a".repeat(257),
      says: "a/.fairleadignore:1: a pattern may have 256 characters and 3 wildcards *",
    },
  ])("refuses $what", ({ text, says }) => {
    expect(() => rulesOf({ "a/.fairleadignore": text })).toThrow(says);
  });

  test("pauses after each folder of a path, once", () => {
    const rules = readIgnoreRules(new Map([[".fairleadignore", "a/a/b\n"]]));
    const deep = `${"a/".repeat(500)}a`;
    expect([...rules.decideFolders(deep)]).toHaveLength(500);
    expect([...rules.decideFolders(deep)]).toEqual([]);
    expect(rules.isIgnored(deep)).toBe(false);
    expect([...rules.decideFolders("a/a/b/c/d")]).toHaveLength(2);
    expect(rules.isIgnored("a/a/b/c/d")).toBe(true);
  });
});
