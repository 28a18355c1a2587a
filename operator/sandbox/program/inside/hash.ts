import { encodeText } from "./text-bytes.ts";

// `createHash` of node:crypto for the libraries: constructs uses SHA-1 (FIPS 180-4) for the addresses at the end of
// generated names. It is not used for security.

/** Only `createHash(name).update(text).digest("hex")` is available. */
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

/** Every context runs this a few times and is then discarded: it has to be fast before V8 has compiled it. */
function mixBlock(state: Int32Array, words: Int32Array): void {
  for (let index = 16; index < 80; index++) {
    const mixed =
      (words[index - 3] as number) ^
      (words[index - 8] as number) ^
      (words[index - 14] as number) ^
      (words[index - 16] as number);
    words[index] = (mixed << 1) | (mixed >>> 31);
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0] = state;
  for (let index = 0; index < 80; index++) {
    let mix: number;
    if (index < 20) mix = ((b & c) | (~b & d)) + 0x5a827999;
    else if (index < 40) mix = (b ^ c ^ d) + 0x6ed9eba1;
    else if (index < 60) mix = ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
    else mix = (b ^ c ^ d) + 0xca62c1d6;
    const next = (((a << 5) | (a >>> 27)) + mix + e + (words[index] as number)) | 0;
    e = d;
    d = c;
    c = (b << 30) | (b >>> 2);
    b = a;
    a = next;
  }
  for (const [index, value] of [a, b, c, d, e].entries()) state[index] = (state[index] ?? 0) + value;
}
