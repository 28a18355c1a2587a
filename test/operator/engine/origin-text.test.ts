import { expect, test } from "vitest";
import { describeOrigin } from "../../../operator/engine/origin-text.ts";

const id = "6".repeat(40);

test.for([
  { subject: "Ship 1.4.2", shows: "Ship 1.4.2" },
  { subject: "Fixes #12, closes GH-3", shows: "Fixes # 12, closes GH- 3" },
  { subject: "Thanks @ann [skip ci] ***NO_CI***", shows: "Thanks @ ann (skip ci) * * *NO_CI* * *" },
  { subject: "by ann@example.dev, (@bob)", shows: "by ann@example.dev, (@ bob)" },
  {
    subject: "fixes https://git.example.dev/a/b/issues/1",
    shows: "fixes https: //git.example.dev/a/b/issues/1",
  },
  { subject: "a\u001b[2J\tb\u202ec", shows: "a (2J b c" },
  { subject: "", shows: "" },
])("describeOrigin() shows $subject as $shows", ({ subject, shows }) => {
  expect(describeOrigin({ id, author: "Ann", subject })).toBe(`commit ${id} by Ann: ${shows}`);
});

test("describeOrigin() does not show an invalid id, and limits the length of its text", () => {
  const long = "x".repeat(10_000_000);
  expect(describeOrigin({ id: `${id}\n`, author: long, subject: long })).toBe(
    `commit of unknown id by ${"x".repeat(100)}: ${"x".repeat(200)}`,
  );
});
