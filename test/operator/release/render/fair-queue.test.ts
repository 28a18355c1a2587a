import { describe, expect, test } from "vitest";
import { FairQueue } from "../../../../operator/release/render/fair-queue.ts";

/** A queue whose tasks note that they began and end when they are told to. */
function aQueue(slots: number) {
  const queue = new FairQueue(slots);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const add = (lane: string, name: string) =>
    queue.add(lane, () => {
      begun.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    });
  const end = async (name: string) => {
    ends.get(name)?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { add, end, begun };
}

describe("FairQueue", () => {
  test("runs so many at a time", async () => {
    const { add, end, begun } = aQueue(2);
    for (const name of ["1", "2", "3"]) add("a", name);
    expect(begun).toEqual(["1", "2"]);
    await end("2");
    expect(begun).toEqual(["1", "2", "3"]);
  });

  test("lets one with a single task go before the many of another", async () => {
    const { add, end, begun } = aQueue(1);
    for (const name of ["a1", "a2", "a3", "a4"]) add("a", name);
    add("b", "b1");
    for (const name of ["a1", "a2", "b1", "a3"]) await end(name);
    expect(begun).toEqual(["a1", "a2", "b1", "a3", "a4"]);
  });

  test("does not run what was taken out", async () => {
    const { add, end, begun } = aQueue(1);
    add("a", "1");
    const takeOut = add("b", "2");
    add("b", "3");
    takeOut();
    takeOut();
    await end("1");
    expect(begun).toEqual(["1", "3"]);
  });
});
