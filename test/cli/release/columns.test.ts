import fc from "fast-check";
import { expect, test } from "vitest";
import { formatColumns } from "../../../cli/release/columns.ts";

test("columns are as wide as their widest cell, and no space follows the last one", () => {
  const rows = [
    ["#", "REVISION", "SUBJECT"],
    ["1", "aaaa", "Long and longer"],
    ["10", "b", ""],
  ];
  expect(formatColumns(rows)).toEqual(["#   REVISION  SUBJECT", "1   aaaa      Long and longer", "10  b"]);
});

test("untrusted text cannot move the cursor or add a line", () => {
  expect(formatColumns([["a\u001b[2Jb", "c\nd\u202e"]])).toEqual(["a [2Jb  c d"]);
  const sign = fc.constantFrom(
    "a",
    " ",
    "\n",
    "\r",
    "\t",
    "\u0000",
    "\u001b",
    "\u009b",
    "\u2028",
    "\u202e",
    "\u{1f600}",
  );
  const cell = fc.array(sign, { maxLength: 8 }).map((signs) => signs.join(""));
  fc.assert(
    fc.property(fc.array(cell, { maxLength: 4 }), (row) => {
      expect(formatColumns([row])).toHaveLength(1);
      expect(formatColumns([row])[0]).not.toMatch(/\p{Cc}|[\u2028\u2029]/u);
    }),
  );
});
