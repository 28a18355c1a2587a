const pattern = /^([+-]?)(\d+(?:\.\d*)?|\.\d+)(?:([numkMGTPE]|[KMGTPE]i)|[eE]([+-]?\d+))?$/;

/** Maximum length of a quantity. Users do not write longer ones, and a BigInt of a million digits takes 0.4 s. */
const LONGEST = 200;

const decimalExponents: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const binaryExponents: Readonly<Record<string, bigint>> = {
  Ki: 10n,
  Mi: 20n,
  Gi: 30n,
  Ti: 40n,
  Pi: 50n,
  Ei: 60n,
};

/**
 * Whether two quantities are equal: `0.5` and `500m`, `1Gi` and `1073741824`. Any other text is equal only to itself. As in
 * the API server, amounts are rounded up to a billionth.
 */
export function isSameQuantity(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  const first = parseQuantity(a);
  return first !== undefined && first === parseQuantity(b);
}

/** Parses a quantity in billionths, rounded away from zero; undefined: the text is not a quantity. */
export function parseQuantity(value: unknown): bigint | undefined {
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  const text = String(value);
  const match = text.length > LONGEST ? null : pattern.exec(text);
  if (match === null) return undefined;
  const [, sign, digits = "", suffix = "", exponent = "0"] = match;
  const [whole = "", fraction = ""] = digits.split(".");
  const decimal = (decimalExponents[suffix] ?? Number(exponent)) - fraction.length + 9;
  // A text such as 1e999999, which the API server rejects, must not create a huge number here.
  if (Math.abs(decimal) > 64) return undefined;
  const scaled = BigInt(whole + fraction) << (binaryExponents[suffix] ?? 0n);
  const amount = decimal >= 0 ? scaled * 10n ** BigInt(decimal) : divideUp(scaled, 10n ** BigInt(-decimal));
  return sign === "-" ? -amount : amount;
}

function divideUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}
