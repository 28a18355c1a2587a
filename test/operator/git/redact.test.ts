import { describe, expect, test } from "vitest";
import { redact } from "../../../operator/git/redact.ts";

describe("redact()", () => {
  test.for([
    { text: "wrong password hunter2 for me", clean: "wrong password *** for me" },
    { text: "https://me:other@h/x and ssh://git@h/x", clean: "https://***@h/x and ssh://***@h/x" },
    { text: "header: Authorization: Basic bWU6c2VjcmV0", clean: "header: Authorization: Basic ***" },
    { text: "AUTHORIZATION: bearer abc.def-ghi", clean: "AUTHORIZATION: bearer ***" },
    { text: "one\n\n  two\r\n", clean: "one; two" },
    { text: "\u001b[31mred\u001b[0m\u0007", clean: "red" },
  ])("$text", ({ text, clean }) => {
    expect(redact(text, ["hunter2", ""])).toBe(clean);
  });

  test("a message is not endless", () => {
    expect(redact("x".repeat(10_000), [])).toHaveLength(400);
  });

  test("a secret at the cut is not shown in part", () => {
    const shown = redact(`${"x".repeat(395)}hunter2hunter2`, ["hunter2hunter2"]);
    expect(shown).not.toContain("hunter");
  });
});
