import { expect, test } from "vitest";
import type { ObjectReader } from "../../../../operator/git/source/object-reader.ts";
import { TreeLookup } from "../../../../operator/git/source/tree-lookup.ts";

/** Reads trees of one file, and records which. */
function aReader(nameOf: (tree: string) => string) {
  const read: string[] = [];
  const reader: Pick<ObjectReader, "read" | "info"> = {
    read: async ([id = ""]) => {
      read.push(id);
      const body = Buffer.concat([
        Buffer.from(`100644 ${nameOf(id)}\0`),
        Buffer.alloc(20, 1),
        Buffer.alloc(0),
      ]);
      return [{ id, type: "tree", size: body.length, body }];
    },
    info: async () => [],
  };
  return { reader, read };
}

test.for([
  { what: "short names are cached", name: "n", again: 0 },
  { what: "names of a million characters are not all cached", name: "n".repeat(1_000_000), again: 1 },
])("folders with $what", async ({ name, again }) => {
  const { reader, read } = aReader(() => name);
  const trees = new TreeLookup(reader, "sha1");
  for (let index = 0; index < 10; index++) await trees.list(`tree ${index}`);
  read.length = 0;
  await trees.list("tree 0");
  expect(read).toHaveLength(again);
});

test("a folder that contains a file twice does not displace others after its removal", async () => {
  const twice = Buffer.concat(
    Array.from({ length: 9_000 }, () => [Buffer.from("100644 n\0"), Buffer.alloc(20, 1)]).flat(),
  );
  const read: string[] = [];
  const reader: Pick<ObjectReader, "read" | "info"> = {
    read: async ([id = ""]) => {
      read.push(id);
      return [{ id, type: "tree", size: twice.length, body: twice }];
    },
    info: async () => [],
  };
  const trees = new TreeLookup(reader, "sha1");
  for (let index = 0; index < 10; index++) await trees.list(`tree ${index}`);
  read.length = 0;
  await trees.list("tree 8");
  await trees.list("tree 9");
  expect(read).toEqual([]);
});
