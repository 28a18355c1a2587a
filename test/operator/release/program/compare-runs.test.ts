import { describe, expect, test } from "vitest";
import { explainDifference } from "../../../../operator/release/program/compare-runs.ts";

const collected = (objects: readonly object[], origins = ["shop/a", "shop/b"]): string =>
  [
    JSON.stringify({ state: "collected", origins, edges: [], log: "" }),
    ...objects.map((object) => JSON.stringify(object)),
  ].join("\n");
const failed = (message: string): string =>
  JSON.stringify({ state: "failed", doing: "run", error: { name: "Error", message, stack: "" } });

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
      does: "names a field that one lacks",
      texts: [collected([{ a: 1 }]), collected([{}])],
      says: "shop/a, field a",
    },
    {
      does: "counts objects",
      texts: [collected([{}]), collected([{}, {}])],
      says: "one made 1 objects, the other 2",
    },
    {
      does: "tells a success from a failure",
      texts: [collected([{}]), failed("no")],
      says: "one made objects, the other failed",
    },
    {
      does: "tells failures apart",
      texts: [failed("a"), failed("b")],
      says: "both failed, in different ways",
    },
    {
      does: "names the order",
      texts: [collected([{}], ["a"]), collected([{}], ["b"])],
      says: "the paths or the order of their objects",
    },
  ])("$does", ({ texts, says }) => {
    const error = explainDifference(texts);
    expect(error.reason).toBe("RenderNotReproducible");
    expect(error.message).toContain(`gave different results: ${says};`);
  });
});
