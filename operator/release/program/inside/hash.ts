import { encodeText } from "./text-bytes.ts";

// `createHash` of node:crypto for the libraries: constructs takes SHA-1 (FIPS 180-4) for the addresses that generated
// names end in. Nothing is kept safe by it.

/** Only `createHash(name).update(text).digest("hex")` is there. */
export function createHash(name: string): { update(text: string): unknown; digest(encoding: "hex"): string } {
  if (name !== "sha1") throw new Error(`there is no hash ${name}`);
  let content = "";
  const hash = {
    update(text: string) {
      content += text;
      return hash;
    },
    digest: () => sha1(encodeText(content)),
  };
  return hash;
}

function sha1(bytes: Uint8Array): string {
  const padded = new DataView(new ArrayBuffer(((bytes.length + 8) >> 6) * 64 + 64));
  for (let at = 0; at < bytes.length; at++) padded.setUint8(at, bytes[at] ?? 0);
  padded.setUint8(bytes.length, 0x80);
  padded.setUint32(padded.byteLength - 8, Math.floor(bytes.length / 2 ** 29));
  padded.setUint32(padded.byteLength - 4, bytes.length << 3);
  const state = new Int32Array([0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0]);
  const words = new Int32Array(80);
  for (let at = 0; at < padded.byteLength; at += 64) {
    for (let index = 0; index < 16; index++) words[index] = padded.getInt32(at + index * 4);
    mixBlock(state, words);
  }
  return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

function mixBlock(state: Int32Array, words: Int32Array): void {
  const at = (index: number): number => words[index] ?? 0;
  for (let index = 16; index < 80; index++) {
    words[index] = left(at(index - 3) ^ at(index - 8) ^ at(index - 14) ^ at(index - 16), 1);
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0] = state;
  for (let index = 0; index < 80; index++) {
    let mix = b ^ c ^ d;
    if (index < 20) mix = (b & c) | (~b & d);
    else if (index >= 40 && index < 60) mix = (b & c) | (b & d) | (c & d);
    const next = (left(a, 5) + mix + e + (constants[Math.floor(index / 20)] ?? 0) + at(index)) | 0;
    e = d;
    d = c;
    c = left(b, 30);
    b = a;
    a = next;
  }
  for (const [index, value] of [a, b, c, d, e].entries()) state[index] = at32(state, index) + value;
}

const constants = [0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6];
const left = (word: number, bits: number): number => (word << bits) | (word >>> (32 - bits));
const at32 = (state: Int32Array, index: number): number => state[index] ?? 0;
