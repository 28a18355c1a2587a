/** Result for numbers that JSON cannot represent, or that would lose digits: `.nan`, `.inf`, integers beyond 2^53. */
export const unreadable: unique symbol = Symbol("unreadable");

export type Scalar = string | number | boolean | null;

/** Booleans and null in YAML 1.1, in the three spellings of go-yaml. */
const words: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
  ...["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"].map(
    (word) => [word, true] as const,
  ),
  ...["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"].map(
    (word) => [word, false] as const,
  ),
  ...["", "~", "null", "Null", "NULL"].map((word) => [word, null] as const),
]);

const LONGEST_WORD = 5;
const decimal = /^[-+]?(?:0|[1-9][0-9]*)$/;
const based = /^([-+]?)0(?:[xX]([0-9a-fA-F]+)|[bB]([01]+)|[oO]?([0-7]+))$/;
const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const fraction = /^\.[0-9]+(?:[eE][-+]?[0-9]+)?$/;
const noNumber = /^[-+]?\.(?:inf|Inf|INF)$|^\.(?:nan|NaN|NAN)$/;

/**
 * The value of a plain (unquoted) scalar, as kubectl reads it: by the rules of go-yaml 2 (`resolve.go`), which are those
 * of YAML 1.1 without times and without numbers to the base of 60. `yes` is a boolean, `0644` is 420, `1_000` is 1000.
 */
export function resolvePlain(text: string): Scalar | typeof unreadable {
  const first = text.charCodeAt(0);
  const isNumeric = (first >= 48 && first <= 57) || first === 43 || first === 45 || first === 46;
  if (isNumeric) return resolveNumber(text);
  if (text.length > LONGEST_WORD) return text;
  const word = words.get(text);
  return word === undefined ? text : word;
}

function resolveNumber(text: string): string | number | typeof unreadable {
  if (noNumber.test(text)) return unreadable;
  if (text.startsWith(".")) {
    const digits = text.replace(/(?<=[0-9])_(?=[0-9])/g, "");
    return fraction.test(digits) ? Number(digits) : text;
  }
  const plain = text.includes("_") ? text.replaceAll("_", "") : text;
  if (decimal.test(plain)) return toInteger(Number(plain));
  const [, sign, hexadecimal, binary, octal] = based.exec(plain) ?? [];
  if (sign !== undefined) {
    const magnitude = Number(
      hexadecimal === undefined ? (binary === undefined ? `0o${octal}` : `0b${binary}`) : `0x${hexadecimal}`,
    );
    return toInteger(sign === "-" ? -magnitude : magnitude);
  }
  if (!float.test(plain)) return text;
  const value = Number(plain);
  // go-yaml keeps a number that is too large for its type as text.
  return Number.isFinite(value) ? value : text;
}

function toInteger(value: number): number | typeof unreadable {
  return Number.isSafeInteger(value) ? value : unreadable;
}
