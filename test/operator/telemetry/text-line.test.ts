import { describe, expect, test } from "vitest";
import { formatTextLine } from "../../../operator/telemetry/text-line.ts";

const record = { time: "2026-01-01T12:03:07.120Z", level: "warn", message: "Cannot apply" };

describe("formatTextLine()", () => {
  test.for(["\n12:03:08.000 INFO  Became leader", "\r", "\u001b[2J", "\u009b2J", "\u2028", "\u0000"])(
    "escapes %j from outside, so that it neither begins a line nor controls the terminal",
    (text) => {
      const stack = `Error: bad${text}\n    at evil${text}`;
      const error = { name: "Error", message: `bad${text}`, stack, cause: { name: "Error", message: text } };
      const line = formatTextLine({ ...record, fields: { error, why: `a${text}`, both: { why: text } } });
      expect(line).not.toMatch(/(?!\n)[\p{Cc}\u2028\u2029]/u);
      expect(line).not.toMatch(/^12:03:08/m);
    },
  );

  test("does not change letters of any language", () => {
    expect(formatTextLine({ ...record, fields: { name: "é€😀" } })).toContain("name=é€😀");
  });
});
