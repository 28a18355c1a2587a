import { describe, expect, test } from "vitest";
import { checkJson } from "../../../operator/sandbox/check-json.ts";
import { readObject } from "../../../operator/sandbox/read-object.ts";

const keys = (count: number): string =>
  `{${Array.from({ length: count }, (_, index) => `"${index}":":"`).join()}}`;

describe("checkJson()", () => {
  test.for([
    { what: "as many keys as an object may have", text: keys(50_000), says: undefined },
    { what: "one more key", text: keys(50_001), says: "has more than 50000 keys" },
    {
      what: "keys in many maps",
      text: `[${keys(25_000)},${keys(25_001)}]`,
      says: "has more than 50000 keys",
    },
    { what: "colons in a text", text: JSON.stringify(":".repeat(50_001)), says: undefined },
  ])("$what: $says", ({ text, says }) => {
    expect(checkJson(Buffer.from(text))).toBe(says);
  });
});

describe("readObject()", () => {
  test.for(["__proto__", "\\u005f_proto__", "__proto\\u005F_", "_\\u005fproto__"])(
    "refuses a key %s",
    (key) => {
      const text = `{"apiVersion":"v1","kind":"A","metadata":{"name":"a"},"x":[{"${key}":1}]}`;
      expect(() => readObject(Buffer.from(text))).toThrow("a key __proto__");
    },
  );
});
