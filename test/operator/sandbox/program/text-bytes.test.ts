import fc from "fast-check";
import { expect, test } from "vitest";
import {
  base64Of,
  bytesOfBase64,
  decodeText,
  encodeText,
} from "../../../../operator/sandbox/program/inside/text-bytes.ts";

test("base64Of() returns the same as btoa, and bytesOfBase64() decodes it", () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const binary = String.fromCharCode(...bytes);
      expect(base64Of(binary)).toBe(btoa(binary));
      expect(bytesOfBase64(base64Of(binary))).toBe(binary);
    }),
  );
});

test("encodeText() returns the same as TextEncoder, and decodeText() decodes it", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect([...encodeText(text)]).toEqual([...new TextEncoder().encode(text)]);
      expect(decodeText(encodeText(text))).toBe(text.toWellFormed());
    }),
  );
});

test.for(["€", "\u{1f600}"])("base64Of() refuses characters that are not bytes: %s", (text) => {
  expect(() => base64Of(text)).toThrow("U+00FF");
});
