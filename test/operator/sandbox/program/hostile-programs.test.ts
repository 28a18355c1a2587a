import { afterAll, describe, expect, test } from "vitest";
import type { Rendered } from "../../../../operator/render/ports.ts";
import { type ProgramCase, programOf, realPrograms } from "../../../fakes/programs.ts";

const programs = realPrograms({ memoryMiB: 160, outputBytes: 2 ** 20, objects: 1_000 });
afterAll(() => programs.close());

const run = (main: string, inputs?: unknown, timeoutMs = 60_000): Promise<Rendered> =>
  programs.render({ files: { "main.ts": main }, inputs, timeoutMs });

async function seenBy(cases: readonly ProgramCase[], what: string): Promise<string> {
  const { manifests } = await run(programOf(cases), what);
  const { seen } = (manifests[0]?.["data"] ?? {}) as { seen?: string };
  return seen ?? "";
}

/** All names that Node adds to ECMAScript, and the parts of ECMAScript itself that read time or share memory. */
const absent =
  "process require module Buffer global setTimeout setInterval setImmediate fetch WebSocket Worker navigator structuredClone MessageChannel BroadcastChannel WebAssembly SharedArrayBuffer Atomics WeakRef FinalizationRegistry".split(
    " ",
  );

describe("a program can access nothing of Node", () => {
  const frames = `
    const found: any[] = [];
    const look = (error: any, frames: any) => { found.push(...frames.map((f: any) => typeof f.getThis?.())); return ""; };
    try { (Error as any).prepareStackTrace = look; } catch {}
    try { (globalThis as any).Error = { prepareStackTrace: look }; } catch {}
    String(new TypeError("x").stack);
    at("found " + found.join());`;
  const primitives = `
    const found: any[] = [];
    const get = function (this: any) { if (typeof this.getThis === "function") found.push(typeof this.getThis()); return undefined; };
    try { Object.defineProperty(Object.prototype, Symbol.toPrimitive, { configurable: true, get }); } catch {}
    String(new TypeError("x").stack);
    at("found " + found.join());`;
  const overflow = `
    const realms = new Set<any>();
    const dig = (depth: number): any => {
      try { return dig(depth + 1); } catch (error: any) {
        try { void new TypeError().stack; } catch (inner: any) { realms.add(inner.constructor); }
        realms.add(error.constructor);
      }
    };
    dig(0);
    at([...realms].map((type) => { try { return typeof type.constructor("return process")(); } catch (error: any) { return error.message.slice(0, 15); } }).join());`;
  const noCode = /^Code generation from strings disallowed/;
  const cases: readonly (ProgramCase & { says: RegExp })[] = [
    {
      what: "among its globals",
      body: `at("found " + ${JSON.stringify(absent)}.filter((name) => (globalThis as any)[name] !== undefined).join());`,
      says: /^found $/,
    },
    {
      what: "by a constructor",
      body: 'at((app as any).constructor.constructor("return process")());',
      says: noCode,
    },
    {
      what: "by code in a string",
      body: 'at(("" as any).constructor.constructor("return process")());',
      says: noCode,
    },
    { what: "by eval", body: 'at((0, eval)("1 + 1"));', says: noCode },
    {
      what: "by an async function",
      body: 'at(await (async () => {}).constructor("return 1")());',
      says: noCode,
    },
    {
      what: "by a generator",
      body: 'at((function* () {}).constructor("return 1")().next().value);',
      says: noCode,
    },
    { what: "in the frames of a stack", body: frames, says: /^found $/ },
    { what: "in the frames of a stack, as primitives", body: primitives, says: /^found $/ },
    {
      what: "by a well-known symbol",
      body: 'const own: any = {}; own[Symbol.toPrimitive] = () => "own"; at(String(own) + " " + String({ toString: () => "text" }));',
      says: /^own text$/,
    },
    { what: "in the error of a stack overflow", body: overflow, says: /^(Code generation,?)+$/ },
    {
      what: "in the caller of a function",
      body: "const f: any = at; at([f.caller, f.arguments].join());",
      says: /'caller', 'callee'/,
    },
  ].map(({ what, body, says }) => ({
    what,
    says,
    body: `try { ${body} } catch (error: any) { at(error.message); }`,
  }));

  test.for(cases)("$what", async ({ what, says }) => {
    expect(await seenBy(cases, what)).toMatch(says);
  });
});

/** A program that fails, with a chosen message: `told()` is called when the failure is written. */
const failing = (body: string): string => `
  export default () => {
    let told = () => "";
    ${body}
    Object.defineProperty(JSON, "stringify", { value: new Proxy(JSON.stringify, { apply: (target, self, [value]) =>
      target.call(self, { ...value, error: { ...value.error, message: told() } }) }) });
  };`;

test("the process calls no accessor that a program defines on its global object", async () => {
  const main = failing(`
    let calls = 0;
    const count = () => { calls += 1; };
    for (const name of ["__request", "__reason", "__result", "then", "toString", "valueOf"])
      Object.defineProperty(globalThis, name, { configurable: true, get: () => void count(), set: count });
    const rejected = Promise.reject(new Error("not handled"));
    Object.defineProperty(rejected, "then", { get: () => void count() });
    told = () => "accessors called " + calls;`);
  await expect(run(main)).rejects.toThrow("accessors called 0");
});

test("changes of one run are not visible to the next", async () => {
  // In the process's realm, if an accessor gives it the receivers of the calling functions.
  const main = failing(`
    let seen = 0;
    const leave = function (this: any) {
      const shared = this.getThis?.()?.Function?.prototype;
      if (shared !== undefined && shared !== Function.prototype) { seen += shared.left ?? 0; shared.left = 1; }
      return undefined;
    };
    const look = () => {
      Object.defineProperty(Object.prototype, Symbol.toPrimitive, { configurable: true, get: leave });
      String(new TypeError("x").stack);
    };
    Object.defineProperty(globalThis, "__reason", { configurable: true, set: look });
    Promise.reject(new Error("not handled"));
    told = () => "seen " + seen;`);
  for (const again of [1, 2, 3]) await expect(run(main), `run ${again}`).rejects.toThrow("seen 0");
});

describe("the bundler refuses", () => {
  test.for([
    {
      what: "modules of Node",
      main: 'import { readFileSync } from "node:fs"; export default () => readFileSync("/");',
    },
    {
      what: "node:sqlite",
      main: 'import { DatabaseSync } from "node:sqlite"; export default () => new DatabaseSync("/tmp/x");',
    },
    {
      what: "workers",
      main: 'import { Worker } from "worker_threads"; export default () => new Worker("");',
    },
    {
      what: "files of the host",
      main: 'import passwd from "/etc/passwd" with { type: "text" }; export default () => passwd;',
    },
    {
      what: "files above the folder",
      main: 'import passwd from "../../../../etc/passwd" with { type: "text" }; export default () => passwd;',
    },
    { what: "URLs", main: 'import passwd from "file:///etc/passwd"; export default () => passwd;' },
  ])("$what, with file and line", async ({ main }) => {
    await expect(run(main)).rejects.toMatchObject({
      reason: "RenderFailed",
      message: expect.stringMatching(/main\.ts:1:\d+: Cannot import "/),
    });
  });

  test("names with another meaning", async () => {
    await expect(run('with (Math) { import("../etc/host" + x); }')).rejects.toThrow(
      "main.ts:1:1: With statements cannot be used in an ECMAScript module",
    );
  });

  test("to read the source map that a file names", async () => {
    const main = `${programOf([{ what: "one", body: 'at("made");' }])}\n//# sourceMappingURL=/etc/passwd`;
    expect((await run(main, "one")).manifests[0]).toMatchObject({ data: { seen: "made" } });
  });
});

describe("a program that imports while it runs", () => {
  // esbuild resolves most of these as patterns of files on its machine, without calling a plugin.
  const up = "../".repeat(20);
  const cases: readonly ProgramCase[] = [
    { what: "a pattern", body: `await import(\`${up}etc/host\${app}\`);` },
    { what: "a pattern of its folder", body: `await import(\`./\${app}.ts\`);` },
    { what: "a sum", body: `await import("${up}etc/host" + app);` },
    { what: "after a comment", body: `await import/* */("${up}etc/host" + app);` },
    { what: "deferred", body: `await (import as any).defer("${up}etc/host" + app);` },
    { what: "by require", body: `require("${up}etc/host" + app);` },
    { what: "by an aliased require", body: `r\\u0065quire("${up}etc/host" + app);` },
    { what: "a module of Node", body: '(await import("node:fs")).readFileSync("/etc/passwd");' },
    { what: "a module of Node by a name", body: 'await import("node:" + "fs");' },
    { what: "a module of Node by require", body: 'require("child_process").execSync("id");' },
    { what: "a file", body: 'await import("file:///etc/passwd");' },
    { what: "data", body: 'await import("data:text/javascript,export default 1");' },
  ].map(({ what, body }) => ({ what, body: body.replace("(import as any).defer", "import.defer") }));

  test.for(cases)("is refused, with file and line: $what", async ({ what }) => {
    await expect(run(programOf(cases), what)).rejects.toMatchObject({
      reason: "RenderFailed",
      message: expect.stringMatching(/main\.ts:\d+:\d+: Error: a program cannot load .* while it runs/),
    });
  });
});
