import fc from "fast-check";
import { expect, test } from "vitest";
import { toApplyBody } from "../../../operator/cluster/apply-body.ts";

test("toApplyBody() escapes what YAML would refuse or fold, and is the same value to a JSON reader", () => {
  expect(toApplyBody({ text: "a\u0085b\u2028c\u007Fd\uFEFFe" })).toBe(
    '{"text":"a\\u0085b\\u2028c\\u007fd\\ufeffe"}',
  );
  expect(toApplyBody({ text: "世界 🦊 é" })).toBe('{"text":"世界 🦊 é"}');
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const body = toApplyBody({ [text]: text });
      expect(JSON.parse(body)).toEqual({ [text]: text });
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be there
      expect(body).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/);
    }),
  );
});
