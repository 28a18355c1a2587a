import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { parseUntrusted, shapeOfJson } from "../../../operator/engine/json-shape.ts";

describe("shapeOfJson()", () => {
  test.for([
    { text: "1", depth: 0, values: 0, keys: 0 },
    { text: '{"a":[1,2],"b":{"c":[[]]}}', depth: 4, values: 7, keys: 3 },
    { text: String.raw`{"a":"[[[{\"[["}`, depth: 1, values: 1, keys: 1 },
  ])("counts $text", ({ text, ...shape }) => {
    expect(shapeOfJson(Buffer.from(text), { mostDepth: 9 })).toEqual(shape);
  });

  test("stops below the maximum depth", () => {
    expect(shapeOfJson(Buffer.from("[".repeat(100_000)), { mostDepth: 9 })).toMatchObject({
      depth: 10,
      values: 10,
    });
  });
});

describe("parseUntrusted()", () => {
  test("parses text and bytes as JSON.parse does", () => {
    const text = '{"a":["ä",{"b":null}]}';
    expect(parseUntrusted(text)).toEqual(JSON.parse(text));
    expect(parseUntrusted(Buffer.from(text))).toEqual(JSON.parse(text));
    const deep = `${"[".repeat(500)}${"]".repeat(500)}`;
    expect(parseUntrusted(deep)).toEqual(JSON.parse(deep));
  });

  test("rejects text that is not JSON, or nested too deeply", () => {
    expect(() => parseUntrusted("{")).toThrow(SyntaxError);
    expect(() => parseUntrusted("[".repeat(501))).toThrow("more than 500 nested lists and objects");
  });

  // In a process of its own, because a text that is parsed without the check ends the process.
  test("survives the texts for which V8 corrupts its memory", () => {
    const module = new URL("../../../operator/engine/json-shape.ts", import.meta.url);
    const program = `import { parseUntrusted } from ${JSON.stringify(module.href)};
      const refused = new Set();
      for (const unit of ['{"a":1,"b":[', '{"a":1,"b":'])
        for (const end of ['"a":', "1", ""])
          for (let count = 0; count < 400; count++)
            try { parseUntrusted(unit.repeat(6_000) + end); } catch (error) { refused.add(error.name); }
      console.log([...refused].join());`;
    const said = execFileSync(process.execPath, ["--input-type=module", "--eval", program], {
      encoding: "utf8",
    });
    expect(said).toBe("RangeError\n");
  });
});
