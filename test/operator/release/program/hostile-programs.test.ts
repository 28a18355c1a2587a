import { afterAll, describe, expect, test } from "vitest";
import type { Rendered } from "../../../../operator/release/ports.ts";
import { realPrograms } from "../../../fakes/programs.ts";

const programs = realPrograms({ memoryMiB: 160, outputBytes: 2 ** 20, objects: 1_000 });
afterAll(() => programs.close());

/** A program of a few lines that may do something forbidden, and shows in a ConfigMap what came of it. */
const attempt = (body: string): string => `
  import { ApiObject, App, Chart } from "cdk8s";
  export default async (app: App) => {
    let seen: any = "nothing";
    const at = (value: any) => { seen = value; };
    try { ${body} } catch (error: any) { seen = "refused: " + error?.message; }
    new ApiObject(new Chart(app, "c"), "m", { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "seen" }, data: { seen: String(seen) } });
  };`;

const run = (main: string, timeoutMs = 60_000): Promise<Rendered> =>
  programs.render({ files: { "main.ts": main }, timeoutMs });

async function seenBy(body: string): Promise<string> {
  const { manifests } = await run(attempt(body));
  const { seen } = (manifests[0]?.["data"] ?? {}) as { seen?: string };
  return seen ?? "";
}

/** All that Node adds to ECMAScript, and what of ECMAScript itself tells time or shares memory. */
const absent =
  "process require module Buffer global setTimeout setInterval setImmediate fetch WebSocket Worker navigator structuredClone MessageChannel BroadcastChannel WebAssembly SharedArrayBuffer Atomics WeakRef FinalizationRegistry".split(
    " ",
  );

describe("a program finds nothing of Node", () => {
  test("among its globals", async () => {
    const names = JSON.stringify(absent);
    expect(
      await seenBy(`at(${names}.filter((name) => (globalThis as any)[name] !== undefined).join());`),
    ).toBe("");
  });

  test.for([
    { by: "a constructor", body: 'at((app as any).constructor.constructor("return process")());' },
    {
      by: "the constructor of its inputs' text",
      body: 'at(("" as any).constructor.constructor("return process")());',
    },
    { by: "eval", body: 'at((0, eval)("1 + 1"));' },
    { by: "an async function's constructor", body: 'at(await (async () => {}).constructor("return 1")());' },
    {
      by: "a generator's constructor",
      body: 'at((function* () {}).constructor("return 1")().next().value);',
    },
  ])("by $by", async ({ body }) => {
    expect(await seenBy(body)).toMatch(/^refused: Code generation from strings disallowed/);
  });

  test.for([
    {
      by: "import of a name that is made up while it runs",
      body: 'const name = "node:" + "fs"; at(typeof (await import(name)).readFileSync);',
    },
    { by: "import of a file", body: 'const name = "file:///etc/" + "passwd"; at(await import(name));' },
    {
      by: "import of data",
      body: 'const name = "data:text/javascript,export default " + 1; at((await import(name)).default);',
    },
  ])("by $by", async ({ body }) => {
    expect(await seenBy(body)).toMatch(/^refused: a program cannot load/);
  });

  test("in the frames of a stack", async () => {
    const body = `
      const found: any[] = [];
      const look = (error: any, frames: any) => { found.push(...frames.map((f: any) => typeof f.getThis?.())); return ""; };
      try { (Error as any).prepareStackTrace = look; } catch {}
      try { (globalThis as any).Error = { prepareStackTrace: look }; } catch {}
      String(new TypeError("x").stack);
      at(found.join());`;
    expect(await seenBy(body)).toBe("");
  });

  test("in what a stack overflow leaves behind", async () => {
    const body = `
      const realms = new Set<any>();
      const dig = (depth: number): any => { try { return dig(depth + 1); } catch (error: any) { try { void new TypeError().stack; } catch (inner: any) { realms.add(inner.constructor); } realms.add(error.constructor); } };
      dig(0);
      at([...realms].map((type) => { try { return typeof type.constructor("return process")(); } catch (error: any) { return error.message.slice(0, 15); } }).join());`;
    expect(await seenBy(body)).toMatch(/^(Code generation,?)+$/);
  });

  test("in the functions that it was started by", async () => {
    const body = "const f: any = at; at([f.caller, f.arguments].join());";
    expect(await seenBy(body)).toMatch(/^refused: /);
  });
});

describe("the bundler refuses", () => {
  test.for([
    {
      what: "modules of Node",
      main: 'import { readFileSync } from "node:fs"; export default () => readFileSync("/etc/passwd");',
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

  test("to look for the source map that a file names", async () => {
    const { manifests } = await run(`${attempt('at("made");')}\n//# sourceMappingURL=/etc/passwd`);
    expect(manifests[0]).toMatchObject({ data: { seen: "made" } });
  });
});

describe("a program that imports while it runs", () => {
  // esbuild takes these for patterns of files, of the machine that it runs on, and no plugin hears of it.
  const up = "../".repeat(20);
  test.for([
    { what: "a pattern", main: `export default (x: any) => import(\`${up}etc/host\${x}\`);` },
    { what: "a pattern of its folder", main: `export default (x: any) => import(\`./\${x}.ts\`);` },
    { what: "a sum", main: `export default (x: any) => import("${up}etc/host" + x);` },
    { what: "behind a comment", main: `export default (x: any) => import/* */("${up}etc/host" + x);` },
    { what: "deferred", main: `export default (x: any) => import.defer("${up}etc/host" + x);` },
    { what: "by require", main: `export default (x: any) => require("${up}etc/host" + x);` },
    {
      what: "by require in disguise",
      main: `export default (x: any) => r\\u0065quire("${up}etc/host" + x);`,
    },
    {
      what: "a module of Node",
      main: 'export default async () => (await import("node:fs")).readFileSync("/etc/passwd");',
    },
    {
      what: "a module of Node by require",
      main: 'export default () => require("child_process").execSync("id");',
    },
  ])("is refused, with file and line: $what", async ({ main }) => {
    await expect(run(main)).rejects.toMatchObject({
      reason: "RenderFailed",
      message: expect.stringMatching(/main\.ts:1:\d+: Error: a program cannot load .* while it runs/),
    });
  });

  test("cannot make names mean something else", async () => {
    const main = `with (Math) { import("${up}etc/host" + x); }`;
    await expect(run(main)).rejects.toThrow(
      "main.ts:1:1: With statements cannot be used in an ECMAScript module",
    );
  });
});

describe("a program that does not end well", () => {
  test.for([
    { what: "loops", body: "for (;;);" },
    { what: "loops in a promise", body: "await Promise.resolve(); for (;;);" },
    {
      what: "makes promises for ever",
      body: "const next = (): any => Promise.resolve().then(next); await next();",
    },
    { what: "matches for ever", body: "/^(a+)+$/.test('a'.repeat(40) + 'b');" },
  ])("is ended when its time is up: $what", async ({ body }) => {
    await expect(run(attempt(body), 100)).rejects.toMatchObject({
      reason: "RenderLimit",
      message: "Cannot render the program: it runs longer than 0.1 s",
    });
  });

  test.for([
    {
      what: "objects",
      main: attempt("const all: any[] = []; for (;;) all.push({ all: new Array(1000).fill(0.5) });"),
    },
    {
      what: "a text",
      main: attempt(
        "let text = 'x'; for (;;) { text += text + Math.random(); if (text.length > 1e8) text = text.slice(1); }",
      ),
    },
    {
      what: "array buffers",
      main: `const all: any[] = []; for (;;) all.push(new Uint8Array(1 << 24).fill(1));`,
    },
  ])("is ended when it fills the memory with $what", async ({ main }) => {
    await expect(run(main)).rejects.toMatchObject({
      reason: expect.stringMatching(/^Render(Limit|Failed)$/),
    });
  });

  test("is told that nothing will ever fulfil its promise", async () => {
    await expect(run("export default () => new Promise(() => {});")).rejects.toMatchObject({
      reason: "RenderFailed",
      message: expect.stringContaining("never fulfilled"),
    });
  });

  test("has what it prints cut: 1 GiB", async () => {
    const line = "console.log(text); ".repeat(8);
    await run(
      attempt(`const text = "x".repeat(1 << 20); for (let i = 0; i < 128; i++) { ${line} } at("printed");`),
    );
    const printed = programs.log.entries.findLast(({ message }) => message === "A program printed");
    const { text = "" } = (printed?.fields ?? {}) as { text?: string };
    expect(text.slice(0, 3)).toBe("xxx");
    expect(text.length).toBeLessThan(20_000);
  });
});

describe("nonsense", () => {
  const making = (object: string): string =>
    `import { ApiObject, App, Chart } from "cdk8s";
     export default (app: App) => { const chart = new Chart(app, "c"); ${object} };`;
  const object = (fields: string): string =>
    making(
      `new ApiObject(chart, "m", { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, ${fields} } as any);`,
    );

  test.for([
    {
      what: "a list instead of constructs",
      main: "export default () => [{ apiVersion: 'v1' }];",
      says: "gives back an array",
    },
    { what: "a text", main: "export default () => 'x';", says: "gives back a string" },
    {
      what: "a circle",
      main: making(
        'const o = new ApiObject(chart, "m", { apiVersion: "v1", kind: "A" }); (o as any).toJson = () => { const a: any = {}; a.a = a; return a; };',
      ),
      says: "nested deeper than 100 levels",
    },
    { what: "a big integer", main: object("data: { a: 1n }"), says: "c/m: data.a is a bigint" },
    { what: "a function", main: object("data: { a: () => 1 }"), says: "c/m: data.a is a function" },
    { what: "not a number", main: object("data: { a: NaN }"), says: "c/m: data.a is NaN" },
    { what: "a getter that throws", main: object("get data() { throw new Error('got'); }"), says: "got" },
    {
      what: "no name",
      main: making(
        'const o = new ApiObject(chart, "m", { apiVersion: "v1", kind: "A" }); (o as any).toJson = () => ({ apiVersion: "v1", kind: "A", metadata: {} });',
      ),
      says: "metadata.name is no name",
    },
    {
      what: "__proto__",
      main: making(
        'const o = new ApiObject(chart, "m", { apiVersion: "v1", kind: "A" }); (o as any).toJson = () => JSON.parse(\'{"apiVersion":"v1","kind":"A","metadata":{"name":"a"},"__proto__":{}}\');',
      ),
      says: "__proto__",
    },
    {
      what: "texts of its own for an answer",
      main: "JSON.stringify = (() => 'x') as any; export default () => {};",
      says: "",
    },
  ])("is refused: $what", async ({ main, says }) => {
    await expect(run(main)).rejects.toMatchObject({
      reason: "RenderFailed",
      message: expect.stringContaining(says),
    });
  });

  test.for([
    {
      what: "many objects",
      main: making(
        'for (let i = 0; i < 1e6; i++) new ApiObject(chart, "m" + i, { apiVersion: "v1", kind: "A", metadata: { name: "a" + i } });',
      ).replace("1e6", "2e3"),
      says: "more than 1000 objects",
    },
    { what: "a huge text", main: object('data: { a: "x".repeat(1 << 22) }'), says: "larger than 1 MiB" },
  ])("is over a limit: $what", async ({ main, says }) => {
    await expect(run(main)).rejects.toMatchObject({
      reason: "RenderLimit",
      message: expect.stringContaining(says),
    });
  });

  test("has no control characters when it comes to a condition", async () => {
    const main =
      "export default () => { throw new Error('a\\u0000\\u001b[31m\\u202eb\\n' + 'x'.repeat(1e5)); };";
    const error: unknown = await run(main).catch((caught: unknown) => caught);
    expect((error as Error).message).toMatch(/Error: a\[31mb x+…$/);
    expect((error as Error).message.length).toBeLessThanOrEqual(1_024);
  });
});

describe("two runs", () => {
  test("of one program see nothing of each other", async () => {
    const main = attempt(
      "at((globalThis as any).kept ?? 'clean'); (globalThis as any).kept = 'kept'; (Array.prototype as any).kept = 1;",
    );
    const results = [await run(main), await run(main)];
    expect(results.map(({ manifests }) => manifests[0]?.["data"])).toEqual([
      { seen: "clean" },
      { seen: "clean" },
    ]);
  });
});
