import fc from "fast-check";
import { expect, test } from "vitest";
import { toApplyBody } from "../../../operator/cluster/apply-body.ts";

test("toApplyBody() escapes characters that YAML would reject or fold, and has the same value in JSON", () => {
  expect(toApplyBody({ text: "a\u0085b\u2028c\u007Fd\uFEFFe" })).toBe(
    '{"text":"a\\u0085b\\u2028c\\u007fd\\ufeffe"}',
  );
  expect(toApplyBody({ text: "世界 🦊 é" })).toBe('{"text":"世界 🦊 é"}');
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const body = toApplyBody({ [text]: text });
      expect(JSON.parse(body)).toEqual({ [text]: text });
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for control characters
      expect(body).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/);
    }),
  );
});
