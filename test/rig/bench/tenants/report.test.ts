import { describe, expect, test } from "vitest";
import {
  changedFiles,
  firstFiles,
  folderOf,
  type Part,
  parts,
} from "../../../../rig/bench/tenants/hostile-files.ts";
import { assessEdits, blocksOf } from "../../../../rig/bench/tenants/report.ts";

describe("blocksOf()", () => {
  test("alternates both orders, with an equal number of edits in each", () => {
    const blocks = blocksOf(50);
    expect(blocks.map(({ isBeside, edits }) => `${isBeside ? "with" : "without"} ${edits}`)).toEqual([
      ...["without 20", "with 20", "with 20", "without 20", "without 10", "with 10"],
    ]);
  });
});

describe("assessEdits()", () => {
  const around = (ms: number) => Array.from({ length: 200 }, (_, index) => ms + (index % 21) - 10);
  test.for([
    { what: "as fast as alone", withMs: around(100), holds: true },
    { what: "an interval that reaches the limit", withMs: around(111), holds: true },
    { what: "an interval beyond the limit", withMs: around(130), holds: false },
    { what: "nothing measured", withMs: [], holds: false },
  ])("$what: $holds", ({ withMs, holds }) => {
    const found = assessEdits({ kind: "release", withoutMs: around(100), withMs });
    expect(found.holds).toBe(holds);
    expect(found.line).toContain(holds ? ": holds" : ": DOES NOT HOLD");
  });

  test("prints medians, their ratio and its interval", () => {
    const { line } = assessEdits({ kind: "resource", withoutMs: [4, 4, 4], withMs: [6, 6, 6] });
    expect(line).toBe(
      "custom resource edited → Deployment changed: p50 6.0 ms (3) with, 4.0 ms (3) without, " +
        "ratio 1.50 [1.50, 1.50], limit 1.1: DOES NOT HOLD",
    );
  });
});

describe("the hostile tenant's files", () => {
  test("stay within the limits of a folder, and each push changes every folder", () => {
    const first = Object.values(firstFiles());
    expect(first.reduce((sum, text) => sum + text.length, 0)).toBeLessThan(16 * 2 ** 20);
    const changed = new Set(Object.keys(changedFiles(1)).map((path) => path.slice(0, path.lastIndexOf("/"))));
    const folders = (Object.keys(parts) as Part[]).flatMap((part) =>
      Array.from({ length: parts[part] }, (_, index) => folderOf(part, index)),
    );
    expect(changed).toEqual(new Set(folders));
    for (const [path, text] of Object.entries(changedFiles(2))) expect(text).not.toBe(changedFiles(1)[path]);
  });
});
