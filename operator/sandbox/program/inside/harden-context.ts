import { base64Of, bytesOfBase64, decodeText, encodeText } from "./text-bytes.ts";

/** The fixed time of every program. */
const EPOCH_MS = Date.UTC(2000, 0, 1);
/** Maximum number of characters that are kept of a program's output. */
const PRINTED = 16_384;

/** Control of the seeded random numbers and the captured output. */
export interface HardenedContext {
  /** Seeds the random numbers. Hexadecimal digits. */
  seed(text: string): void;
  /** The captured output. */
  text(): string;
}

type Globals = typeof globalThis & Record<string, unknown>;

/**
 * Prepares a bare context so that programs are deterministic: they cannot read the time, wait, share memory or observe
 * the garbage collector. The clock is fixed and random numbers are seeded. Besides ECMAScript, the few functions that
 * programs for Kubernetes use are defined.
 */
export function hardenContext(scope: typeof globalThis): HardenedContext {
  const globals = scope as Globals;
  for (const name of [
    "WebAssembly",
    "SharedArrayBuffer",
    "Atomics",
    "WeakRef",
    "FinalizationRegistry",
    "Temporal",
  ]) {
    Reflect.deleteProperty(globals, name);
  }
  fixClock(globals);
  fixErrors(globals);
  const random = createRandom();
  Math.random = () => random.next() / 2 ** 32;
  let [printed, isCut] = ["", false];
  const print = (...values: unknown[]): void => {
    if (isCut) return;
    const line = `${values.map(show).join(" ")}\n`;
    isCut = printed.length + line.length > PRINTED;
    printed = isCut ? `${(printed + line).slice(0, PRINTED)}…` : printed + line;
  };
  const console = Object.fromEntries(
    ["log", "info", "warn", "error", "debug", "trace", "dir", "table", "group", "groupEnd", "assert"].map(
      (name) => [name, print],
    ),
  );
  const fill = (array: Uint8Array): Uint8Array => {
    for (let index = 0; index < array.length; index++) array[index] = random.next();
    return array;
  };
  put(globals, {
    console,
    crypto: { getRandomValues: fillAny(fill), randomUUID: () => uuidOf(fill(new Uint8Array(16))) },
    performance: { now: () => 0, timeOrigin: EPOCH_MS },
    btoa: (text: unknown) => base64Of(String(text)),
    atob: (text: unknown) => bytesOfBase64(String(text)),
    queueMicrotask: (callback: () => void) => void Promise.resolve().then(callback),
    TextEncoder: class TextEncoder {
      readonly encoding = "utf-8";
      encode(text = ""): Uint8Array {
        return encodeText(String(text));
      }
    },
    TextDecoder: class TextDecoder {
      readonly encoding = "utf-8";
      decode(bytes: Uint8Array = new Uint8Array()): string {
        return decodeText(bytes);
      }
    },
  });
  return { seed: random.seed, text: () => printed };
}

function put(globals: Globals, values: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(values)) {
    Object.defineProperty(globals, name, { value, writable: true, configurable: true, enumerable: false });
  }
}

function show(value: unknown): string {
  try {
    if (value instanceof Error) return `${value.name}: ${value.message}`;
    return typeof value === "object" ? (JSON.stringify(value)?.slice(0, PRINTED) ?? "") : String(value);
  } catch {
    return "[…]";
  }
}

function fixClock(globals: Globals): void {
  const RealDate = Date;
  const fixed = function (this: unknown, ...values: unknown[]): unknown {
    if (new.target === undefined) return new RealDate(EPOCH_MS).toString();
    return Reflect.construct(RealDate, values.length === 0 ? [EPOCH_MS] : values, new.target);
  };
  Object.defineProperty(fixed, "prototype", { value: RealDate.prototype, writable: false });
  Object.defineProperty(fixed, "length", { value: 7 });
  Object.defineProperty(fixed, "name", { value: "Date" });
  for (const name of ["parse", "UTC"] as const) {
    Object.defineProperty(fixed, name, { value: RealDate[name], writable: true, configurable: true });
  }
  Object.defineProperty(fixed, "now", { value: () => EPOCH_MS, writable: true, configurable: true });
  Object.defineProperty(RealDate.prototype, "constructor", {
    value: fixed,
    writable: true,
    configurable: true,
  });
  put(globals, { Date: fixed });
  // Without a date these two format the current time.
  const { prototype } = Intl.DateTimeFormat;
  const format = Object.getOwnPropertyDescriptor(prototype, "format")?.get;
  Object.defineProperty(prototype, "format", {
    configurable: true,
    get(this: Intl.DateTimeFormat) {
      const bound = format?.call(this) as Intl.DateTimeFormat["format"];
      return (date: Date | number = EPOCH_MS) => bound(date);
    },
  });
  const { formatToParts } = prototype;
  prototype.formatToParts = function parts(date = EPOCH_MS) {
    return formatToParts.call(this, date);
  };
}

/**
 * Keeps call sites, which are objects of V8, away from programs. Node converts them to text when it sets `error.stack`;
 * a function of the program under one of the names below would receive them.
 */
function fixErrors(globals: Globals): void {
  Error.stackTraceLimit = 50;
  Object.defineProperty(Object.prototype, Symbol.toPrimitive, {
    configurable: false,
    get: () => undefined,
    // An object may still have such a property of its own, also by assignment.
    set(this: object, value: unknown) {
      Object.defineProperty(this, Symbol.toPrimitive, {
        value,
        writable: true,
        configurable: true,
        enumerable: true,
      });
    },
  });
  Object.defineProperty(Error, "prepareStackTrace", {
    value: undefined,
    writable: false,
    configurable: false,
  });
  Object.defineProperty(globals, "Error", { value: Error, writable: false, configurable: false });
}

/** sfc32 by Chris Doty-Humphrey: small, fast, and passes the usual tests of random numbers. */
function createRandom(): { seed: (text: string) => void; next: () => number } {
  let [a, b, c, count] = [0, 0, 0, 1];
  const next = (): number => {
    const result = (a + b + count++) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + result;
    return result >>> 0;
  };
  const seed = (text: string): void => {
    const part = (at: number): number => Number.parseInt(text.slice(at, at + 8) || "0", 16) | 0;
    [a, b, c, count] = [part(0), part(8), part(16), 1];
    for (let round = 0; round < 12; round++) next();
  };
  return { seed, next };
}

/** As in Web Crypto: any integer array is filled in place. */
function fillAny(fill: (array: Uint8Array) => Uint8Array): (array: ArrayBufferView) => ArrayBufferView {
  return (array) => {
    fill(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
    return array;
  };
}

function uuidOf(bytes: Uint8Array): string {
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [8, 12, 16, 20, 32].map((end, index, ends) => digits.slice(ends[index - 1] ?? 0, end)).join("-");
}
