/** Control characters, which take six bytes each. */
const control = /\p{Cc}/gu;
/** The API server stores these characters as escapes of six bytes. */
const escaped = /[<>&\u2028\u2029]/g;

/** The bytes that a value takes in the store of the API server. Pure. */
export function storedBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value).replaceAll(escaped, "\\u0000"));
}

/**
 * A text on one line that takes at most some bytes in the store of the API server, without quotes; one that is cut ends with `…`.
 * It has no halves of characters, which the API server would replace, so that it would differ from what is computed. Pure and idempotent.
 */
export function shortenText(text: string, most: number): string {
  // Cut first, so that a text of megabytes costs nothing: each character takes at least a byte.
  const line = text
    .slice(0, most + 1)
    .toWellFormed()
    .replaceAll(control, " ");
  if (bytesOf(line) <= most) return line;
  let [kept, bytes] = ["", bytesOf("…")];
  for (const character of line) {
    bytes += bytesOf(character);
    if (bytes > most) break;
    kept += character;
  }
  return `${kept}…`;
}

function bytesOf(text: string): number {
  return storedBytes(text) - 2;
}
