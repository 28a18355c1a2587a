/** User and group `nobody`. */
const NOBODY = 65_534;

/** Ways out of this process that its own code needs no more. */
const gone = [
  "binding",
  "_linkedBinding",
  "dlopen",
  "getBuiltinModule",
  "kill",
  "_kill",
  "_debugProcess",
  "_debugEnd",
  "execve",
  "chdir",
  "umask",
  "setuid",
  "seteuid",
  "setgid",
  "setegid",
  "setgroups",
  "initgroups",
  "loadEnvFile",
  "mainModule",
];

/**
 * Takes from a process what it may never use again: root's rights, the functions that reach beyond it, and the way to
 * change what its own functions stand on. (`--frozen-intrinsics` does the last as well, and takes 20 ms.)
 */
export function giveUpRights(process: NodeJS.Process): void {
  if (process.getuid?.() === 0) {
    process.setgroups?.([]);
    process.setgid?.(NOBODY);
    process.setuid?.(NOBODY);
  }
  for (const name of gone) Reflect.deleteProperty(process, name);
  Reflect.deleteProperty(globalThis, "WebAssembly");
  for (const intrinsic of intrinsics()) Object.freeze(intrinsic);
}

/** The objects of ECMAScript in this realm: constructors, their prototypes, namespaces. */
function intrinsics(): object[] {
  const scope = globalThis as unknown as Record<string, unknown>;
  const named = ecmaScript.map((name) => scope[name]).filter((value) => value !== undefined) as object[];
  const unnamed = [
    Object.getPrototypeOf(Uint8Array),
    Object.getPrototypeOf(async () => {}),
    Object.getPrototypeOf(function* () {}),
    Object.getPrototypeOf(async function* () {}),
    Object.getPrototypeOf([].values()),
    Object.getPrototypeOf(new Map().values()),
    Object.getPrototypeOf(new Set().values()),
    Object.getPrototypeOf(""[Symbol.iterator]()),
  ] as object[];
  return [...named, ...unnamed].flatMap((value) => {
    const prototype = (value as { prototype?: unknown }).prototype;
    return typeof prototype === "object" && prototype !== null ? [value, prototype] : [value];
  });
}

const ecmaScript =
  "Object Function Array String Number Boolean Symbol BigInt Date RegExp Promise Proxy Reflect JSON Math Map Set WeakMap WeakSet WeakRef FinalizationRegistry ArrayBuffer SharedArrayBuffer Atomics DataView Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float32Array Float64Array BigInt64Array BigUint64Array Error EvalError RangeError ReferenceError SyntaxError TypeError URIError AggregateError Iterator Intl".split(
    " ",
  );
