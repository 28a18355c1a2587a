import { expect, test } from "vitest";
import { redactEmail } from "../../../charts/pipeline/commit-authors.ts";

test.for([
  ["ada@example.dev", "a…@example.dev"],
  ["ada@corp@example.dev", "a…@example.dev"],
  ["😀x@example.dev", "😀…@example.dev"],
  ["nobody", "n…"],
  ["@example.dev", "@…"],
  [`a@${"x".repeat(300)}`, `a…@${"x".repeat(64)}`],
] as const)("redactEmail() shows %s as %s", ([email, shown]) => {
  expect(redactEmail(email)).toBe(shown);
});
