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

  test("replaces a secret as a whole that contains another one", () => {
    expect(redact("token abcdef", ["abc", "abcdef"])).toBe("token ***");
  });

  // Patterns with quadratic time take minutes for these texts, and the test runner aborts after 20 seconds.
  test.for([
    { what: "a word with many dots", text: "a.".repeat(2_000_000) },
    { what: "schemes without a user", text: "x://y".repeat(1_000_000) },
    { what: "headers without a value", text: "authorization: basic".repeat(200_000) },
    { what: "spaces after a header", text: `authorization:${" ".repeat(4_000_000)}` },
    { what: "endless escapes", text: "\u001b[1".repeat(1_000_000) },
    { what: "blank lines", text: " \n".repeat(1_000_000) },
  ])("reads $what in linear time", ({ text }) => {
    expect(redact(text, ["hunter2"]).length).toBeLessThanOrEqual(400);
  });

  test("a message has a limited length", () => {
    expect(redact("x".repeat(10_000), [])).toHaveLength(400);
  });

  test("a secret at the cut is not shown in part", () => {
    const shown = redact(`${"x".repeat(395)}hunter2hunter2`, ["hunter2hunter2"]);
    expect(shown).not.toContain("hunter");
  });
});
