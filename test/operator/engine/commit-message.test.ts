import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  composeCommitMessage,
  isLaterTerm,
  readLeaseTrailer,
} from "../../../operator/engine/commit-message.ts";

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

  test("no title can add a line", () => {
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

describe("composeCommitMessage() for objects from a source", () => {
  const origin = { id: "6".repeat(40), author: "Ann", subject: "Ship 1.4.2" };
  const lease = { leaseUid: "u", transitions: 1 };
  const composed = (...origins: readonly (typeof origin)[]) =>
    composeCommitMessage({
      applied: origins.map((one, index) => ({ ...echo(`e${index}`), origin: one })),
      removed: [],
      version: "0.1.0",
      lease,
    });

  test("has the commit, its author and its subject in the body, above the trailers", () => {
    expect(composed(origin)).toBe(
      `Apply Echo shop/e0, generation 1\n\nMade from commit ${"6".repeat(40)} by Ann: Ship 1.4.2\n\n` +
        "Fairlead-Resource: Echo shop/e0 generation 1\nFairlead-Version: 0.1.0\nFairlead-Lease: u/1\n",
    );
    expect(composed(origin, origin)).toContain(
      `\n\nEcho shop/e0 is made from commit ${"6".repeat(40)} by Ann: Ship 1.4.2\nEcho shop/e1 is made from`,
    );
  });

  test("names a bounded number of commits", () => {
    const message = composed(...Array.from({ length: 30 }, () => origin));
    expect(message.match(/ is made from commit /g)).toHaveLength(20);
  });

  test("text from outside stays on its line, and is not a trailer", () =>
    fc.assert(
      fc.property(strangersText, strangersText, strangersText, (id, author, subject) => {
        const message = composed({ id, author, subject });
        const paragraphs = message.trimEnd().split(/\n\s*\n/);
        expect(paragraphs).toHaveLength(3);
        expect(paragraphs[1]).toMatch(/^Made from commit .+ by .*: ?.*$/u);
        expect([...(paragraphs[1] ?? "")].length).toBeLessThan(800);
        expect(message.isWellFormed()).toBe(true);
        expect(message.match(/^[\w-]+: /gm)).toHaveLength(3);
        expect(readLeaseTrailer(message)).toEqual(lease);
      }),
    ));
});

/** Ends of lines, trailers, and characters that change how a line is shown, often. */
const strangersText = fc
  .array(
    fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(
        "\n",
        "\r\n",
        "\n\n",
        "\u2028",
        "\u0085",
        "\u000b",
        "\u202e",
        "\ud800",
        "x".repeat(300),
      ),
      fc.constantFrom("Fairlead-Lease: u/99", "Signed-off-by: Ann", "---", " "),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));

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
