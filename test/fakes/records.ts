import type { Sealer } from "../../operator/desire/release/sealed-records.ts";

/** Seals of a fixed key: the text in base64. */
export const testSealer: Sealer = {
  sealOf: (text) => Buffer.from(text).toString("base64url"),
  isSealOf: (seal, text) => seal === Buffer.from(text).toString("base64url"),
};

/** An operator without a key. */
export const noSealer: Sealer = { sealOf: () => undefined, isSealOf: () => false };
