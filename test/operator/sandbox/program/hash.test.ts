import { createHash as realHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createHash } from "../../../../operator/sandbox/program/inside/hash.ts";

test("createHash() returns the same SHA-1 as node:crypto", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary", maxLength: 70 }), { maxLength: 4 }), (texts) => {
      const [ours, real] = [createHash("sha1"), realHash("sha1")];
      for (const text of texts) {
        ours.update(text);
        real.update(text);
      }
      expect(ours.digest("hex")).toBe(real.digest("hex"));
    }),
  );
});
