import { describe, expect, test } from "vitest";
import { explainDifference } from "../../../../operator/sandbox/program/compare-runs.ts";

const collected = (objects: readonly object[], origins = ["shop/a", "shop/b"]): string =>
  [
    JSON.stringify({ state: "collected", origins, edges: [], log: "" }),
    ...objects.map((object) => JSON.stringify(object)),
  ].join("\n");
const failed = (message: string): string =>
  JSON.stringify({ state: "failed", doing: "run", error: { name: "Error", message, stack: "" } });

const explain = (texts: readonly string[]) => explainDifference(texts.map((text) => Buffer.from(text)));

describe("explainDifference()", () => {
  test.for([
    {
      does: "names object and field",
      texts: [
        collected([{ a: 1 }, { spec: { x: [{ y: 1 }] } }]),
        collected([{ a: 1 }, { spec: { x: [{ y: 2 }] } }]),
      ],
      says: "shop/b, field spec.x[0].y",
    },
    {
      does: "names a field that only one has",
      texts: [collected([{ a: 1 }]), collected([{}])],
      says: "shop/a, field a",
    },
    {
      does: "names a field that is after others",
      texts: [collected([{ a: { b: [] }, c: "x" }]), collected([{ a: { b: [1] }, c: "y" }])],
      says: "shop/a, field a.b[0]",
    },
    {
      does: "finds the object after long ones",
      texts: [
        collected([{ a: "x".repeat(200_000) }, { a: "x".repeat(100_000), b: 1 }]),
        collected([{ a: "x".repeat(200_000) }, { a: "x".repeat(100_000), b: 2 }]),
      ],
      says: "shop/b, field b",
    },
    {
      does: "does not parse objects that are larger than 4 MiB",
      texts: [collected([{ a: "x".repeat(2 ** 22) }]), collected([{ a: "y".repeat(2 ** 22) }])],
      says: "shop/a",
    },
    {
      does: "names no object that is beyond the limit",
      texts: [1, 2].map((value) => collected([...Array.from({ length: 10_000 }, () => ({})), { value }])),
      says: "an object after the first 10000",
    },
    {
      does: "counts objects",
      texts: [collected([{}]), collected([{}, {}])],
      says: "one created 1 objects, the other 2",
    },
    {
      does: "distinguishes a success from a failure",
      texts: [collected([{}]), failed("no")],
      says: "one created objects, the other failed",
    },
    {
      does: "distinguishes failures",
      texts: [failed("a"), failed("b")],
      says: "both failed, in different ways",
    },
    {
      does: "names the order",
      texts: [collected([{}], ["a"]), collected([{}], ["b"])],
      says: "the paths or the order of their objects",
    },
  ])("$does", async ({ texts, says }) => {
    const error = await explain(texts);
    expect(error.reason).toBe("RenderNotReproducible");
    expect(error.message).toContain(`returned different results: ${says};`);
  });

  // Traversing these level by level takes minutes, and the test runner aborts after 20 seconds.
  const nested = (end: number) => `${"[".repeat(1_000_000)}${end}${"]".repeat(1_000_000)}`;
  const wide = (end: number) =>
    `{"a":${'{"a":['.repeat(20)}${"{},".repeat(1_000_000)}${end}${"]}".repeat(20)}}`;
  test.for([
    { what: "deeply nested objects", texts: [1, 2].map((end) => `{"a":${nested(end)}}`) },
    { what: "objects with a million parts", texts: [1, 2].map(wide) },
    { what: "a million objects", texts: ["{}\n".repeat(1_000_000), "{} \n".repeat(1_000_000)] },
  ])("compares $what in linear time", async ({ texts }) => {
    const { message } = await explain(texts.map((text) => `${collected([])}\n${text}`));
    expect(message).toMatch(/returned different results: shop\/a/);
  });

  test("yields to the event loop while it compares", async () => {
    let turns = 0;
    const count = setInterval(() => turns++, 1);
    await explain([1, 2].map((end) => `${collected([])}\n${wide(end)}`));
    clearInterval(count);
    expect(turns).toBeGreaterThan(3);
  });
});
