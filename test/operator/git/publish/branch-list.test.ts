import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  BranchListReader,
  encodeBranchLists,
  type ListPart,
} from "../../../../operator/git/publish/branch-list.ts";
import { commitParts } from "../../../../operator/git/publish/commit-stream.ts";
import { branchLimits, COMMIT_PART_BYTES } from "../../../../operator/git/publish/messages.ts";
import { limitRuns } from "../../../long.ts";

const tree = "a".repeat(40);
const read = (parts: Iterable<ListPart>) => {
  const reader = new BranchListReader();
  for (const part of parts) reader.take(part);
  return reader.lists;
};

describe("the lists of a branch", () => {
  test("arrive as they were sent, for any number of entries", () => {
    const trees = new Map<string, string>(
      Array.from({ length: 2_500 }, (_, index) => [`shop/echoes.fairlead.dev/e${index}`, tree] as const),
    );
    trees.set("ünder/a b.c/x", "b".repeat(64));
    const files = new Set(["README.md", ".fairlead.yaml", 'a "name"']);
    expect(read(encodeBranchLists({ trees, files }))).toEqual({ trees, files });
  });

  test("omit paths that would change how a text is displayed", () => {
    const trees = new Map([
      ["shop/a.b/\u001b[2J", tree],
      [`shop/a.b/${"x".repeat(branchLimits.pathCharacters)}`, tree],
      ["shop/a.b/x", tree],
    ]);
    const files = new Set(["a\nb", "\u202eb", "c"]);
    const lists = read(encodeBranchLists({ trees, files }));
    expect([...lists.trees.keys(), ...lists.files]).toEqual(["shop/a.b/x", "c"]);
  });

  test.for([
    { what: "a path that is not a folder of a resource", text: `${tree} ../etc/passwd\0` },
    { what: "an invalid id", text: `${tree}0 shop/a.b/x\0` },
    { what: "half an entry", text: `${tree} shop/a.b/x` },
    { what: "an escape sequence", text: `${tree} shop/a.b/\u001b[2J\0` },
    { what: "a path that is too long", text: `${tree} shop/a.b/${"x".repeat(1_024)}\0` },
    { what: "too many entries in a part", text: `${tree} shop/a.b/x\0`.repeat(1_002) },
    { what: "only NULs", text: "\0" },
    { what: "bytes that are not text", text: Buffer.from([0xff, 0]) },
  ])("are refused with $what", ({ text }) => {
    expect(() => read([{ list: "trees", part: Buffer.from(text as string) }])).toThrow(RangeError);
  });

  test.for(["a/b\0", "\0", "a\u0007\0", "x".repeat(1_025)])("have no file %j", (text) => {
    expect(() => read([{ list: "files", part: Buffer.from(text) }])).toThrow(RangeError);
  });

  test("are limited", () => {
    const part = Buffer.from(`${tree} shop/a.b/x\0`.repeat(1_000));
    const endless = function* (): Generator<ListPart> {
      for (let index = 0; index <= branchLimits.entries / 1_000; index++) yield { list: "trees", part };
    };
    expect(() => read(endless())).toThrow("a list that is too long");
  });
});

test("the parts of a commit are its stream, in pieces of bounded size, the last of which is marked", () => {
  const piece = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.nat(1_500_000).map((length) => "ü".repeat(length)),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 4 }), (pieces) => {
      const parts = [...commitParts(pieces)];
      expect(Buffer.concat(parts.map(({ part }) => part)).equals(Buffer.from(pieces.join("")))).toBe(true);
      expect(parts.map(({ isLast }) => isLast)).toEqual(parts.map((_, index) => index === parts.length - 1));
      for (const { part } of parts) expect(part.length).toBeLessThanOrEqual(COMMIT_PART_BYTES);
    }),
    { numRuns: limitRuns(30) },
  );
});
