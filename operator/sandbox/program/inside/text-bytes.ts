const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Base64 of a text whose characters are bytes, as `btoa` does. */
export function base64Of(binary: string): string {
  let text = "";
  for (let at = 0; at < binary.length; at += 3) {
    const [a, b, c] = [binary.charCodeAt(at), binary.charCodeAt(at + 1), binary.charCodeAt(at + 2)];
    if (a > 255 || b > 255 || c > 255) {
      throw new RangeError("btoa() takes characters up to U+00FF; encode the text with TextEncoder first");
    }
    const bits = (a << 16) | ((b || 0) << 8) | (c || 0);
    const part = [18, 12, 6, 0].map((shift) => digits[(bits >> shift) & 63]).join("");
    const missing = at + 3 - binary.length;
    text += missing > 0 ? part.slice(0, 4 - missing) + "=".repeat(missing) : part;
  }
  return text;
}

/** The bytes of a base64 text, one character each, as `atob` does. */
export function bytesOfBase64(text: string): string {
  const clean = text.replaceAll(/[\t\n\f\r ]|=+$/g, "");
  let [binary, bits, count] = ["", 0, 0];
  for (const digit of clean) {
    const value = digits.indexOf(digit);
    if (value < 0) throw new RangeError("atob(): this is no base64");
    bits = ((bits << 6) | value) & 0xffffff;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    binary += String.fromCharCode((bits >> count) & 255);
  }
  return binary;
}

/** Encodes as UTF-8. */
export function encodeText(text: string): Uint8Array {
  const escaped = encodeURIComponent(text.toWellFormed());
  const bytes: number[] = [];
  for (let at = 0; at < escaped.length; at++) {
    const isEscape = escaped[at] === "%";
    bytes.push(isEscape ? Number.parseInt(escaped.slice(at + 1, at + 3), 16) : escaped.charCodeAt(at));
    if (isEscape) at += 2;
  }
  return Uint8Array.from(bytes);
}

/** Decodes UTF-8; throws if it is invalid. */
export function decodeText(bytes: Uint8Array): string {
  let escaped = "";
  for (const byte of bytes) escaped += `%${byte.toString(16).padStart(2, "0")}`;
  return decodeURIComponent(escaped);
}
