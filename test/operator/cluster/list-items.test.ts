import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cutItems } from "../../../operator/cluster/list-items.ts";

function cut(json: string) {
  const items: unknown[] = [];
  const texts = cutItems(json);
  let text = texts.next();
  for (; text.done !== true; text = texts.next()) items.push(JSON.parse(text.value));
  return { items, rest: JSON.parse(text.value) as unknown };
}

describe("cutItems()", () => {
  test("returns the same as parsing the whole list, for any content", () => {
    // Brackets, quotes and the word itself, at positions that could mislead a scanner.
    const tricky = fc.constantFrom('"', "\\", '\\"', '"items":[', "]}", "[{", ",", "items");
    const text = fc.oneof(
      fc.string(),
      fc.array(tricky).map((parts) => parts.join("")),
    );
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 3 },
        text,
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        tie("list"),
        tie("object"),
      ),
      list: fc.array(tie("any"), { maxLength: 4 }),
      object: fc.dictionary(text, tie("any"), { maxKeys: 4 }),
    }));
    const list = fc.record({
      metadata: value.object,
      items: fc.array(value.object),
      indent: fc.constantFrom(0, 2),
    });
    fc.assert(
      fc.property(list, ({ metadata, items, indent }) => {
        const json = JSON.stringify({ kind: "XList", metadata, items, remaining: "]" }, null, indent);
        const expected = JSON.parse(json) as { items: unknown[] };
        expect(cut(json)).toEqual({ items: expected.items, rest: { ...expected, items: [] } });
      }),
    );
  });

  test.for([
    { json: '{"metadata":{},"items":null}', rest: { metadata: {}, items: null } },
    { json: '{"metadata":{"items":[1]}}', rest: { metadata: { items: [1] } } },
    { json: '{"items":[]}', rest: { items: [] } },
  ])("finds no item in $json", ({ json, rest }) => {
    expect(cut(json)).toEqual({ items: [], rest });
  });
});
