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
  test("alternates both orders, with an equal number of edits of each kind", () => {
    const blocks = blocksOf(50).map(({ beside, edits }) => `${beside} ${edits}`);
    expect(blocks).toEqual([
      ...["absent 20", "suspended 20", "served 20"],
      ...["served 20", "suspended 20", "absent 20"],
      ...["absent 10", "suspended 10", "served 10"],
    ]);
  });
});

describe("assessEdits()", () => {
  const around = (ms: number) => Array.from({ length: 200 }, (_, index) => ms + (index % 21) - 10);
  test.for([
    { what: "as fast as alone", served: around(100), holds: true },
    { what: "an interval that reaches the limit", served: around(111), holds: true },
    { what: "an interval beyond the limit", served: around(130), holds: false },
    { what: "nothing measured", served: [], holds: false },
  ])("$what: $holds", ({ served, holds }) => {
    const found = assessEdits({ kind: "release", absent: around(100), suspended: around(105), served });
    expect(found.holds).toBe(holds);
    expect(found.lines[0]).toContain(holds ? ": holds" : ": DOES NOT HOLD");
  });

  test("prints medians, and their ratios with intervals", () => {
    const times = { absent: [4, 4, 4], suspended: [5, 5, 5], served: [6, 6, 6] };
    expect(assessEdits({ kind: "resource", ...times }).lines).toEqual([
      "custom resource edited → Deployment changed: p50 6.0 ms (3) with, 4.0 ms (3) without, " +
        "ratio 1.50 [1.50, 1.50], limit 1.1: DOES NOT HOLD",
      "  while its Releases are suspended: p50 5.0 ms (3), ratio of with to this 1.20 [1.20, 1.20]",
    ]);
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
