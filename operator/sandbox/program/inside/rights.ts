/** User and group `nobody`. */
const NOBODY = 65_534;

/** Functions of `process` that affect more than this process, or undo {@link giveUpRights}. */
const removed = [
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
  "report",
];

/**
 * Removes from this process what a program must never reach: root privileges, the functions of `process` that affect
 * more than this process, everything on the global object that is not ECMAScript, and the ability to change any
 * intrinsic. Call it once, after the modules that the process needs are loaded and the globals that it uses are
 * captured.
 */
export function giveUpRights(process: NodeJS.Process): void {
  if (process.getuid?.() === 0) {
    process.setgroups?.([]);
    process.setgid?.(NOBODY);
    process.setuid?.(NOBODY);
  }
  for (const name of removed) Reflect.deleteProperty(process, name);
  freezeIntrinsics();
  const scope = globalThis;
  for (const name of Reflect.ownKeys(scope)) if (!kept.has(name)) Reflect.deleteProperty(scope, name);
  Object.preventExtensions(scope);
}

/**
 * Freezes every object that is reachable from the intrinsics of this realm, through values, accessors and prototypes. A
 * list of names would miss some, such as `Function.prototype`, which is a function. (`--frozen-intrinsics` adds 20 ms to
 * the start of the process, this adds 2.)
 */
function freezeIntrinsics(): void {
  const scope = globalThis as unknown as Record<string | symbol, unknown>;
  const unnamed = [
    async () => {},
    function* () {},
    async function* () {},
    [].values(),
    new Map().values(),
    new Set().values(),
    ""[Symbol.iterator](),
    "".matchAll(/x/g),
    new Intl.Segmenter().segment("")[Symbol.iterator](),
    Iterator.from({ next: () => ({ done: true, value: undefined }) }),
  ];
  const remaining: unknown[] = [...unnamed, ...[...kept].map((name) => scope[name])];
  const frozen = new Set<unknown>([globalThis]);
  while (remaining.length > 0) {
    const value = remaining.pop();
    const isObject = typeof value === "function" || (typeof value === "object" && value !== null);
    if (!isObject || frozen.has(value)) continue;
    frozen.add(value);
    remaining.push(Object.getPrototypeOf(value));
    for (const key of Reflect.ownKeys(value)) {
      const property = Object.getOwnPropertyDescriptor(value, key);
      remaining.push(property?.value, property?.get, property?.set);
    }
    Object.freeze(value);
  }
}

/** Globals of ECMAScript, without those that create code from text, share memory or compile WebAssembly. */
const kept = new Set<string | symbol>(
  "Object Function Array String Number Boolean Symbol BigInt Date RegExp Promise Proxy Reflect JSON Math Map Set WeakMap WeakSet ArrayBuffer DataView Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float16Array Float32Array Float64Array BigInt64Array BigUint64Array Error EvalError RangeError ReferenceError SyntaxError TypeError URIError AggregateError SuppressedError Iterator Intl parseInt parseFloat isNaN isFinite encodeURIComponent decodeURIComponent".split(
    " ",
  ),
);
