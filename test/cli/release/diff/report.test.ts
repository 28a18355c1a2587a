import { describe, expect, test } from "vitest";
import type { Change, ChangeAction } from "../../../../cli/release/diff/change.ts";
import { exitCodeOf, formatReport, styleOf } from "../../../../cli/release/diff/report.ts";

const change = (action: ChangeAction, name = "web", diff = ""): Change => ({
  action,
  id: `/ConfigMap/shop/${name}`,
  diff,
  note: undefined,
});
const report = (changes: readonly Change[], held?: string) => ({
  title: "Release shop/web",
  changes,
  held,
  warnings: [],
});

describe("exitCodeOf()", () => {
  test.for([
    { of: "nothing", changes: [], code: 0 },
    { of: "what stays as it is", changes: [change("unchanged")], code: 0 },
    { of: "something that changes", changes: [change("unchanged"), change("change")], code: 1 },
    { of: "something that goes", changes: [change("delete")], code: 1 },
    { of: "something that is refused", changes: [change("change"), change("refused")], code: 2 },
  ])("is $code of $of", ({ changes, code }) => {
    expect(exitCodeOf([report([]), report(changes)])).toBe(code);
  });

  test("is 1 if a prune needs approval", () => {
    expect(exitCodeOf([report([], "Nothing is deleted")])).toBe(1);
  });
});

test.for([
  { line: "--- live/Service shop/web", style: "bold" },
  { line: "@@ -1,2 +1,2 @@", style: "cyan" },
  { line: "-  a: 1", style: "red" },
  { line: "+  a: 2", style: "green" },
  { line: "   b: 1", style: undefined },
  { line: "change  Service shop/web", style: undefined },
])("styleOf() shows '$line' as $style", ({ line, style }) => {
  expect(styleOf(line)).toBe(style);
});

describe("formatReport()", () => {
  test("shows differences, then the change of each object, then the sum", () => {
    const lines = formatReport(
      report([
        change("change", "web", "-a\n+b\n"),
        change("delete", "old", "-x\n"),
        change("unchanged", "x"),
      ]),
    );
    expect(lines).toEqual([
      "-a",
      "+b",
      "",
      "ACTION  OBJECT              NOTE",
      "change  ConfigMap shop/web",
      "delete  ConfigMap shop/old",
      "Release shop/web: 1 changed, 1 deleted, 1 unchanged",
    ]);
  });

  test("of a Release whose only change is a held deletion says what it waits for", () => {
    expect(formatReport(report([], "Nothing is deleted"))).toEqual([
      "Nothing is deleted",
      "Release shop/web: nothing changes until the deletion is approved",
    ]);
  });

  test("counts omitted lines", () => {
    const many = Array.from({ length: 150 }, (_, index) => change("create", `c${index}`));
    expect(formatReport(report(many))).toContain("… and 50 more (-o json has all)");
    const long = change("create", "web", `${"+x\n".repeat(1_000)}`);
    expect(formatReport(report([long]))).toContain("… and 700 more lines (-o json has all)");
  });

  test("lets no text of an object move the cursor", () => {
    const lines = formatReport(report([change("create", "web", "+a\u001b[2J\n")], "x\u001b[2J"));
    expect(lines.join("")).not.toContain("\u001b");
  });
});
