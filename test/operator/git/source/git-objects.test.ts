import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readCommit, readTree } from "../../../../operator/git/source/git-objects.ts";

const commitOf = (...lines: readonly string[]) => readCommit("c".repeat(40), Buffer.from(lines.join("\n")));
const tree = `tree ${"a".repeat(40)}`;

describe("readCommit()", () => {
  test("reads author, time and subject", () => {
    const parents = [`parent ${"1".repeat(40)}`, `parent ${"2".repeat(40)}`];
    const author = "author Ann Example <ann@example.dev> 1700000000 +0200";
    const committer = "committer Bob <bob@example.dev> 1700000060 -0700";
    const read = commitOf(
      tree,
      ...parents,
      author,
      committer,
      "gpgsig -----BEGIN",
      " parent x",
      "",
      "Do it",
      "",
      "Because.",
    );
    expect(read).toEqual({
      commit: {
        id: "c".repeat(40),
        author: "Ann Example",
        subject: "Do it",
        committedAt: "2023-11-14T22:14:20Z",
      },
      tree: "a".repeat(40),
      parents: ["1".repeat(40), "2".repeat(40)],
    });
  });

  test.for([
    { lines: ["author <ann@example.dev> 1 +0000", "", "x"], author: "ann@example.dev" },
    { lines: ["author A\u001b[31m\u202eB <a@b> 1 +0000", "", "x"], author: "A[31mB" },
    { lines: ["", "x"], author: "" },
  ])("returns $author for $lines", ({ lines, author }) => {
    expect(commitOf(tree, ...lines).commit.author).toBe(author);
  });

  test("cuts a subject, and removes characters that affect a terminal", () => {
    expect(commitOf(tree, "", `\u001b[2J${"x".repeat(300)}`).commit.subject).toBe(`[2J${"x".repeat(197)}`);
    expect(commitOf(tree, "", `${"x".repeat(199)}🚀`).commit.subject).toBe(`${"x".repeat(199)}\uFFFD`);
  });

  // A pattern with quadratic time takes minutes for these, and the test runner aborts after 90 seconds.
  test.for(["<", " <", "a<", "<>", "\n", "author ", "\u202e"])(
    "reads a megabyte of %j in linear time",
    (unit) => {
      const text = `tree ${"a".repeat(40)}\nauthor ${unit.repeat(1_000_000 / unit.length)}`;
      expect(readCommit("a", Buffer.from(`${text}\n\n${text}`)).commit.committedAt).toBe(
        "1970-01-01T00:00:00Z",
      );
    },
  );

  test("keeps no reference to a long message or header in memory", () => {
    setFlagsFromString("--expose-gc");
    const collectGarbage = runInNewContext("gc") as () => void;
    const long = "x".repeat(1_000_000);
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    const kept = Array.from({ length: 60 }, (_, index) => [
      commitOf(
        tree,
        `parent ${index}`.padEnd(47, "0"),
        "author Ann <a@b> 1700000000 +0000",
        "",
        "It works",
        long,
      ),
      commitOf(tree, `gpgsig ${long}`, "", "It works"),
    ]).flat();
    collectGarbage();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(20_000_000);
    expect(kept.every(({ commit }) => commit.subject === "It works")).toBe(true);
    const parents = Array.from({ length: 1_000 }, () => `parent ${"1".repeat(40)}`);
    expect(commitOf(tree, ...parents, "", "x").parents).toHaveLength(100);
  });

  test("returns 1970 for an invalid time", () => {
    expect(commitOf(tree, "committer B <b@c> 99999999999999999 +0000", "", "x").commit.committedAt).toBe(
      "1970-01-01T00:00:00Z",
    );
  });
});

describe("readTree()", () => {
  test("reads git's own objects", () => {
    const entry = (mode: string, name: string, id: string) =>
      Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id.repeat(40), "hex")]);
    const body = Buffer.concat([
      entry("100644", "a b\n", "0"),
      entry("120000", "link", "1"),
      entry("40000", "sub", "2"),
      entry("160000", "module", "3"),
      entry("100755", "ü", "4"),
    ]);
    expect(readTree(body, 20)).toEqual([
      { name: "a b\n", kind: "file", id: "0".repeat(40) },
      { name: "link", kind: "symlink", id: "1".repeat(40) },
      { name: "sub", kind: "tree", id: "2".repeat(40) },
      { name: "module", kind: "submodule", id: "3".repeat(40) },
      { name: "ü", kind: "file", id: "4".repeat(40) },
    ]);
  });

  test("either reads any bytes or reports that they are not a tree", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          for (const { id } of readTree(Buffer.from(bytes), 20)) expect(id).toMatch(/^[0-9a-f]{40}$/);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
    );
  });
});
