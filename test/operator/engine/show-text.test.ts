import { describe, expect, test } from "vitest";
import { showPath, showText } from "../../../operator/engine/show-text.ts";

describe("showText()", () => {
  test.for([
    ["web/deployment.yaml", "web/deployment.yaml"],
    ["Größe/数.yaml", "Größe/数.yaml"],
    ["a b$(x)';--.yaml", "a b$(x)';--.yaml"],
    ["a\nb\r\u001b[31m.yaml", "a\\u{a}b\\u{d}\\u{1b}[31m.yaml"],
    ["\u202egnp.yaml\u2028\u200b\ufeff", "\\u{202e}gnp.yaml\\u{2028}\\u{200b}\\u{feff}"],
    ["\ud800", "\ufffd"],
    [`${"a".repeat(300)}.yaml`, `${"a".repeat(179)}…${"a".repeat(15)}.yaml`],
  ] as const)("shows %j on one line", ([text, shown]) => {
    expect(showText(text)).toBe(shown);
  });
});

describe("showPath()", () => {
  test("names a field", () => {
    expect(showPath(["items", 3, "metadata", "labels", "a/b\n"])).toBe(
      'items[3].metadata.labels["a/b\\u{a}"]',
    );
  });
});
