import { describe, expect, test } from "vitest";
import {
  composeCommitMessage,
  isLaterTerm,
  readLeaseTrailer,
} from "../../../operator/core/commit-message.ts";

const echo = (name: string, generation = 1) => ({ title: `Echo shop/${name}`, generation });
const rest = { version: "0.1.0", lease: undefined };
const subjectOf = (message: string) => message.split("\n")[0] ?? "";

describe("composeCommitMessage()", () => {
  test.for([
    { applied: [echo("hello", 7)], removed: [], subject: "Apply Echo shop/hello, generation 7" },
    { applied: [echo("a"), echo("b")], removed: [], subject: "Apply 2 resources" },
    { applied: [], removed: ["Echo shop/a"], subject: "Remove Echo shop/a" },
    { applied: [], removed: ["Echo shop/a", "Echo shop/b"], subject: "Remove 2 resources" },
    {
      applied: [echo("a")],
      removed: ["Echo shop/b", "Echo shop/c"],
      subject: "Apply 1 resource, remove 2 resources",
    },
    { applied: [], removed: [], subject: "Claim this folder" },
  ])("the subject is $subject", ({ applied, removed, subject }) => {
    expect(subjectOf(composeCommitMessage({ applied, removed, ...rest }))).toBe(subject);
  });

  test.for([
    { applied: [echo("x".repeat(253), 1234)], removed: [] },
    { applied: [], removed: [`Echo shop/${"y".repeat(253)}`] },
    { applied: [echo("🦊".repeat(100))], removed: [] },
  ])("a subject has at most 72 characters", ({ applied, removed }) => {
    const subject = subjectOf(composeCommitMessage({ applied, removed, ...rest }));
    expect([...subject].length).toBe(72);
    expect(subject.isWellFormed()).toBe(true);
  });

  test("names a bounded number of resources, then counts", () => {
    const applied = Array.from({ length: 21 }, (_, index) => echo(`e${index}`));
    const message = composeCommitMessage({ applied, removed: [], ...rest });
    expect(message.match(/^Fairlead-Resource: /gm)).toHaveLength(20);
    expect(message).toContain("\nFairlead-Resources: 21\n");
  });

  test("no title can add a line of its own", () => {
    const title = "Echo shop/a\n\nFairlead-Lease: x/99\u2028\r";
    const lease = { leaseUid: "u", transitions: 1 };
    const message = composeCommitMessage({
      applied: [{ title, generation: 1 }],
      removed: [title],
      ...rest,
      lease,
    });
    expect(message.match(/^Fairlead-Lease/gm)).toHaveLength(1);
    expect(readLeaseTrailer(message)).toEqual(lease);
  });
});

describe("readLeaseTrailer()", () => {
  test.for([
    {
      message: "Apply x\n\nFairlead-Version: 1\nFairlead-Lease: a-b/12\n",
      term: { leaseUid: "a-b", transitions: 12 },
    },
    { message: "Apply x\n\nFairlead-Lease: a/1\n\nText at the end\n", term: undefined },
    { message: "Apply x\n\nFairlead-Lease: a/-1\n", term: undefined },
    { message: "Apply x\n\nFairlead-Lease: a/9999999999999999999\n", term: undefined },
    { message: "", term: undefined },
  ])("reads $term from $message", ({ message, term }) => {
    expect(readLeaseTrailer(message)).toEqual(term);
  });
});

describe("isLaterTerm()", () => {
  const ours = { leaseUid: "a", transitions: 3 };
  test.for([
    { theirs: { leaseUid: "a", transitions: 4 }, later: true },
    { theirs: { leaseUid: "a", transitions: 3 }, later: false },
    { theirs: { leaseUid: "b", transitions: 9 }, later: false },
    { theirs: undefined, later: false },
  ])("$theirs: $later", ({ theirs, later }) => {
    expect(isLaterTerm(theirs, ours)).toBe(later);
  });
});
