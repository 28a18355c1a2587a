import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LineSplitter } from "../../../operator/cluster/json-lines.ts";

describe("LineSplitter", () => {
  test("returns every line for any chunks of the bytes", () => {
    const line = fc.string({ unit: "grapheme", minLength: 1 }).map((text) => JSON.stringify(text));
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat(40)), (lines, cuts) => {
        const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(""));
        const splitter = new LineSplitter();
        const seen: string[] = [];
        for (let start = 0, turn = 0; start < bytes.length; turn++) {
          const end = start + 1 + (cuts[turn] ?? 7);
          seen.push(...splitter.push(bytes.subarray(start, end)));
          start = end;
        }
        expect(seen).toEqual(lines);
        expect(splitter.isInsideLine).toBe(false);
      }),
    );
  });

  test("reports when the stream stopped inside a line", () => {
    const splitter = new LineSplitter();
    expect([...splitter.push(Buffer.from('{"a":1}\n{"b"'))]).toEqual(['{"a":1}']);
    expect(splitter.isInsideLine).toBe(true);
  });

  test("rejects an endless line", () => {
    const splitter = new LineSplitter({ maxBytes: 10 });
    expect(() => [...splitter.push(Buffer.from("01234567890"))]).toThrow("longer than 10 bytes");
  });
});
