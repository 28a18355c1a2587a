import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  encodeFileList,
  type FileList,
  FileListError,
  FileListReader,
} from "../../../../operator/git/source/file-list.ts";
import { listLimits } from "../../../../operator/git/source/messages.ts";

const blob = "0123456789abcdef0123456789abcdef01234567";
const aFile = (path: string, size = 1) => ({ path, blob, size });
const only = (...paths: string[]): FileList => ({ files: paths.map((path) => aFile(path)), refused: [] });

function reread(list: FileList): FileList {
  const reader = new FileListReader();
  for (const part of encodeFileList(list)) reader.take(part);
  return reader.list;
}

describe("encodeFileList()", () => {
  test("is decoded unchanged by FileListReader, for any names", () => {
    const segment = fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 20 })
      .filter((text) => !/[/\0\ud800-\udfff]/u.test(text) && text !== "." && text !== "..");
    const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"));
    const files = fc.array(fc.record({ path, blob: fc.constant(blob), size: fc.nat() }));
    const what = fc.constantFrom("symlink" as const, "submodule" as const);
    const refused = fc.array(fc.record({ path, what }));
    fc.assert(
      fc.property(files, refused, (some, others) => {
        expect(reread({ files: some, refused: others })).toEqual({ files: some, refused: others });
      }),
    );
  });

  test("splits a long list into parts of bounded size", () => {
    const list = only(...Array.from({ length: 20_000 }, (_, index) => `folder/${"x".repeat(300)}${index}`));
    const parts = [...encodeFileList(list)];
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(2 ** 20);
    expect(reread(list).files).toHaveLength(20_000);
  });

  test.for([
    { what: "above its folder", path: "../secret" },
    { what: "with an empty segment", path: "a//b" },
    { what: "that is too long", path: "x".repeat(listLimits.pathCharacters + 1) },
  ])("rejects a path $what", ({ path }) => {
    expect(() => reread(only(path))).toThrow(FileListError);
  });

  test("rejects paths whose total length is too long", () => {
    const long = Array.from({ length: 3_000 }, (_, index) => `${"x".repeat(4_000)}${index}`);
    expect(() => reread(only(...long))).toThrow(FileListError);
  });
});

describe("FileListReader", () => {
  test.for([
    { what: "bytes that are not UTF-8", text: Buffer.from([0x66, 0xff, 0]) },
    { what: "an entry without its path", text: `${blob} 1\0` },
    { what: "an endless list", text: `${blob} 1\0a` },
    { what: "an invalid id", text: "0123 1\0a\0" },
    { what: "an invalid size", text: `${blob} -1\0a\0` },
    { what: "an unknown kind", text: "socket\0a\0" },
    { what: "a path above the folder", text: `${blob} 1\0a/../../b\0` },
    { what: "an absolute path", text: `${blob} 1\0/etc/passwd\0` },
    { what: "too many entries in a part", text: `${blob} 1\0a\0`.repeat(1_001) },
    { what: "a part of only NULs", text: Buffer.alloc(2 ** 21) },
    { what: "a path that is too long", text: `${blob} 1\0${"x".repeat(listLimits.pathCharacters + 1)}\0` },
  ])("rejects $what", ({ text }) => {
    expect(() => new FileListReader().take(Buffer.from(text))).toThrow(RangeError);
  });

  test("rejects too many entries, in any number of parts", () => {
    const reader = new FileListReader();
    const part = Buffer.from(`${blob} 1\0a\0`.repeat(1_000));
    for (let index = 0; index < listLimits.entries / 1_000; index++) reader.take(part);
    expect(() => reader.take(Buffer.from(`${blob} 1\0a\0`))).toThrow(RangeError);
  });

  test("rejects a list that is too long, in any number of parts", () => {
    const reader = new FileListReader();
    const part = Buffer.from(`${blob} 1\0${"x".repeat(4_000)}\0`.repeat(100));
    expect(() => {
      for (let index = 0; index < 100; index++) reader.take(part);
    }).toThrow(RangeError);
  });

  test("accepts or rejects any bytes without failing", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        try {
          new FileListReader().take(Buffer.from(bytes));
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
    );
  });
});
