import { describe, expect, test } from "vitest";
import { endOfLine, parseLine, readLine } from "../../../../operator/sandbox/program/output-lines.ts";

/** Counts turns of the event loop during some work. */
async function countTurns(work: () => Promise<unknown>): Promise<number> {
  let [turns, isOver] = [0, false];
  const count = (): void => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await work();
  isOver = true;
  return turns;
}

describe("readLine()", () => {
  test("decodes a line, and estimates the memory of its value", async () => {
    expect(await readLine(Buffer.from('{"é":[{}]}'))).toEqual({
      text: '{"é":[{}]}',
      memory: 10 + 64 + 32 + 40 + 64,
    });
  });

  test("pauses after each of its two steps for a long line", async () => {
    expect(await countTurns(() => readLine(Buffer.alloc(2 ** 20, "é")))).toBe(2);
    expect(await countTurns(() => readLine(Buffer.alloc(2 ** 16, "é")))).toBe(0);
  });

  test("refuses a line of more than 4 MiB before it is decoded", async () => {
    const line = Buffer.alloc(4 * 2 ** 20 + 1, "é");
    line.toString = () => expect.fail("it was decoded");
    await expect(readLine(line)).rejects.toMatchObject({
      reason: "RenderLimit",
      message: "Cannot render the program: one of its objects is larger than 4 MiB",
    });
  });
});

describe("parseLine()", () => {
  test("refuses a value that takes more than 32 MiB, without parsing it", async () => {
    await expect(parseLine({ text: "{", memory: 32 * 2 ** 20 + 1 })).rejects.toThrow(
      "more than 32 MiB of memory",
    );
    await expect(parseLine({ text: "{", memory: 32 * 2 ** 20 })).rejects.toThrow("not a list of objects");
  });
});

describe("endOfLine()", () => {
  test("is the index of the next newline, or the end of the output", () => {
    const output = Buffer.from("ab\n\nc");
    expect([0, 2, 3, 4, 5].map((from) => endOfLine(output, from))).toEqual([2, 2, 3, 5, 5]);
  });
});
