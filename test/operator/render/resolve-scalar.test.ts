import { describe, expect, test } from "vitest";
import { resolvePlain, unreadable } from "../../../operator/render/resolve-scalar.ts";

/** What sigs.k8s.io/yaml 1.6 (kubectl) makes of each, asked on 2026-11-21. */
const cases: readonly (readonly [string, unknown])[] = [
  ["web", "web"],
  ["true", true],
  ["True", true],
  ["tRUE", "tRUE"],
  ["yes", true],
  ["y", true],
  ["N", false],
  ["off", false],
  ["On", true],
  ["", null],
  ["~", null],
  ["null", null],
  ["Null", null],
  ["nil", "nil"],
  ["0", 0],
  ["-0", -0],
  ["42", 42],
  ["+1", 1],
  ["-17", -17],
  ["0644", 420],
  ["0o644", 420],
  ["0x1F", 31],
  ["-0x10", -16],
  ["0b101", 5],
  ["08", 8],
  ["0o8", "0o8"],
  ["0x", "0x"],
  ["1_000", 1000],
  ["1.5", 1.5],
  ["1.0", 1],
  ["1.", 1],
  [".5", 0.5],
  ["1e3", 1000],
  ["1e400", "1e400"],
  ["1.2.3", "1.2.3"],
  ["1:30", "1:30"],
  ["2026-11-21", "2026-11-21"],
  ["2026-11-21T10:00:00Z", "2026-11-21T10:00:00Z"],
  ["500m", "500m"],
  ["10Gi", "10Gi"],
  ["-", "-"],
  ["+", "+"],
  [".", "."],
  ["...x", "...x"],
  ["-foo", "-foo"],
  ["<<", "<<"],
  ["=", "="],
  ["9007199254740991", 9007199254740991],
  ["9007199254740993", unreadable],
  ["123456789012345678901234567890", unreadable],
  [".nan", unreadable],
  ["-.inf", unreadable],
];

describe("resolvePlain()", () => {
  test.for(cases)("reads %s as kubectl does", ([text, value]) => {
    expect(resolvePlain(text)).toBe(value);
  });
});
