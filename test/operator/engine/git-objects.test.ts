import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { assertGitPath, blobIdOf, treeIdOf } from "../../../operator/engine/git-objects.ts";

// The ids below are git's own (`git hash-object`, `git write-tree`); test/operator/git/publish/local-clone.test.ts has a property.
describe("blobIdOf()", () => {
  test("names a blob as git does", () => {
    expect(blobIdOf("hello\n", "sha1")).toBe("ce013625030ba8dba906f756967f9e9ca394464a");
    expect(blobIdOf("grüße", "sha1")).toBe(
      execFileSync("git", ["hash-object", "--stdin"], { input: "grüße", encoding: "utf8" }).trim(),
    );
  });
});

describe("treeIdOf()", () => {
  test("names the empty tree", () => {
    expect(treeIdOf(new Map(), "sha1")).toBe("4b825dc642cb6eb9a060e54bf8d69288fbee4904");
    expect(treeIdOf(new Map(), "sha256")).toBe(
      "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
    );
  });

  test("does not depend on the order of files", () => {
    const files = [
      ["a.yaml", "1"],
      ["a/b.yaml", "2"],
      ["a-b.yaml", "3"],
    ] as const;
    expect(treeIdOf(new Map(files), "sha1")).toBe(treeIdOf(new Map(files.toReversed()), "sha1"));
  });

  test.for([[["a", "a/b"]], [["a/b", "a"]]])("refuses a file that is a folder too: %s", ([paths]) => {
    expect(() => treeIdOf(new Map(paths?.map((path) => [path, ""])), "sha1")).toThrow(RangeError);
  });
});

describe("assertGitPath()", () => {
  test.for([
    "",
    "/a",
    "a//b",
    "a/",
    "../a",
    "a/..",
    "./a",
    ".git/config",
    "a/.GIT/x",
    "a/.git",
    "a/.git. ./x",
    "a/.g\u200cit/x",
    "GIT~1/x",
    "a\u2028/../../b",
    "a\u007f",
    "a\\b",
    "a\nb",
    "a\0b",
    "c:d",
  ])("refuses %j", (path) => {
    expect(() => assertGitPath(path)).toThrow(RangeError);
  });

  test.for(["a", "a/b.c/d-e", ".fairlead.yaml", "_cluster/x.y/z", ".gitignore", "a\u2028b", "git~2/x"])(
    "takes %j",
    (path) => {
      expect(() => assertGitPath(path)).not.toThrow();
    },
  );
});
