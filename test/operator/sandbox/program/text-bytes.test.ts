import fc from "fast-check";
import { expect, test } from "vitest";
import {
  base64Of,
  bytesOfBase64,
  decodeText,
  encodeText,
} from "../../../../operator/sandbox/program/inside/text-bytes.ts";

test("base64Of() gives what btoa gives, and bytesOfBase64() takes it back", () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const binary = String.fromCharCode(...bytes);
      expect(base64Of(binary)).toBe(btoa(binary));
      expect(bytesOfBase64(base64Of(binary))).toBe(binary);
    }),
  );
});

test("encodeText() gives what TextEncoder gives, and decodeText() takes it back", () => {
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
