import { describe, expect, test } from "vitest";
import { readDetails } from "../../../operator/sandbox/read-details.ts";

const read = (text: string) => readDetails(Buffer.from(text));
const paths = (count: number): string => Array.from({ length: count }, () => '"a.ts"').join();

describe("readDetails()", () => {
  test("reads as many paths and warnings as a render may have", () => {
    const { readPaths, warnings } = read(`{"readPaths":[${paths(2_000)}],"warnings":["w"]}`);
    expect([readPaths?.length, warnings]).toEqual([2_000, ["w"]]);
  });

  test.for([
    { what: "many wrong values", text: `{"warnings":[${"0,".repeat(500_000)}0]}` },
    { what: "deep lists", text: `{"warnings":${"[".repeat(500_000)}` },
    { what: "a long text", text: `{"warnings":["${"w".repeat(2 ** 20)}"]}` },
  ])("refuses $what before they are parsed", ({ text }) => {
    expect(() => read(text)).toThrow(RangeError);
  });
});
