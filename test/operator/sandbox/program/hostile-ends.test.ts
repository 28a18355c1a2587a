import { afterAll, describe, expect, test } from "vitest";
import type { Rendered } from "../../../../operator/render/ports.ts";
import { type ProgramCase, programOf, realPrograms } from "../../../fakes/programs.ts";

const programs = realPrograms({ memoryMiB: 160, outputBytes: 2 ** 20, objects: 1_000 });
afterAll(() => programs.close());

const run = (main: string, inputs?: unknown, timeoutMs = 60_000): Promise<Rendered> =>
  programs.render({ files: { "main.ts": main }, inputs, timeoutMs });

describe("a program that does not end normally", () => {
  test.for([
    { what: "loops", body: "for (;;);" },
    { what: "loops in a promise", body: "await Promise.resolve(); for (;;);" },
    {
      what: "creates promises endlessly",
      body: "const next = (): any => Promise.resolve().then(next); await next();",
    },
    { what: "matches a pattern endlessly", body: "/^(a+)+$/.test('a'.repeat(40) + 'b');" },
  ])("is killed at its timeout: $what", async ({ what, body }) => {
    await expect(run(programOf([{ what, body }]), what, 100)).rejects.toMatchObject({
      reason: "RenderLimit",
      message: "Cannot render the program: it runs longer than 0.1 s",
    });
  });

  test.for([
    {
      what: "objects",
      body: "const all: any[] = []; for (;;) all.push({ all: new Array(1000).fill(0.5) });",
    },
    {
      what: "array buffers",
      body: "const all: any[] = []; for (;;) { try { all.push(new Uint8Array(1 << 24).fill(1)); } catch {} }",
    },
  ])("is killed at its memory limit: $what", async ({ what, body }) => {
    await expect(run(programOf([{ what, body }]), what)).rejects.toMatchObject({
      reason: "RenderLimit",
      message: "Cannot render the program: it takes more than 160 MiB of memory",
    });
  });

  test("has its output cut: 1 GiB", async () => {
    const line = "console.log(text); ".repeat(8);
    const body = `const text = "x".repeat(1 << 20); for (let i = 0; i < 128; i++) { ${line} } at("printed");`;
    await run(programOf([{ what: "prints", body }]), "prints");
    const printed = programs.log.entries.findLast(({ message }) => message === "A program printed");
    const { text = "" } = (printed?.fields ?? {}) as { text?: string };
    expect(text.slice(0, 3)).toBe("xxx");
    expect(text.length).toBeLessThan(20_000);
  });
});

describe("nonsense", () => {
  const object = (fields: string): string =>
    `new ApiObject(chart, "m", { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, ${fields} } as any);`;
  const giving = (json: string): string =>
    `const o = new ApiObject(chart, "m", { apiVersion: "v1", kind: "A" }); (o as any).toJson = () => { ${json} };`;
  const cases: readonly (ProgramCase & { says: string; reason?: string })[] = [
    { what: "a list instead of constructs", body: "return [{}];", says: "returned an array" },
    { what: "a text", body: "return 'x';", says: "returned a string" },
    {
      what: "a promise that is never fulfilled",
      body: "return new Promise(() => {});",
      says: "never settles",
    },
    {
      what: "a circular reference",
      body: giving("const a: any = {}; a.a = a; return a;"),
      says: "deeper than 100 levels",
    },
    { what: "a big integer", body: object("data: { a: 1n }"), says: "c/m: data.a is a bigint" },
    { what: "a function", body: object("data: { a: () => 1 }"), says: "c/m: data.a is a function" },
    { what: "not a number", body: object("data: { a: NaN }"), says: "c/m: data.a is NaN" },
    { what: "a getter that throws", body: object("get data() { throw new Error('got'); }"), says: "got" },
    {
      what: "no name",
      body: giving('return { apiVersion: "v1", kind: "A", metadata: {} };'),
      says: "metadata.name is not a name",
    },
    {
      what: "__proto__",
      body: giving(
        `return JSON.parse('{"apiVersion":"v1","kind":"A","metadata":{"name":"a"},"__proto__":{}}');`,
      ),
      says: 'has a key "__proto__"',
    },
    {
      what: "the same object twice",
      body: object("").replace('"m"', '"m1"') + object("").replace('"m"', '"m2"'),
      says: 'c/m2: "/ConfigMap//a" is created twice, first by c/m1',
    },
    {
      what: "constructs that depend on each other",
      body: `const [a, b] = ["a", "b"].map((name) => new ApiObject(chart, name, { apiVersion: "v1", kind: "A", metadata: { name } })); a!.addDependency(b!); b!.addDependency(a!);`,
      says: "in a cycle: c/a → c/b → c/a",
    },
    {
      what: "a forged answer",
      body: "JSON.stringify = (() => 'x') as any;",
      says: "not a list of objects",
    },
    {
      what: "many objects",
      body: 'for (let i = 0; i < 2e3; i++) new ApiObject(chart, "m" + i, { apiVersion: "v1", kind: "A", metadata: { name: "a" + i } });',
      says: "more than 1000 objects",
      reason: "RenderLimit",
    },
    {
      what: "a huge text",
      body: object('data: { a: "x".repeat(1 << 22) }'),
      says: "larger than 1 MiB",
      reason: "RenderLimit",
    },
  ];

  test.for(cases)("is rejected: $what", async ({ what, says, reason = "RenderFailed" }) => {
    await expect(run(programOf(cases), what)).rejects.toMatchObject({
      reason,
      message: expect.stringContaining(says),
    });
  });

  test("has no control characters in the condition", async () => {
    const body = "throw new Error('a\\u0000\\u001b[31m\\u202eb\\n' + 'x'.repeat(1e5));";
    const error: unknown = await run(programOf([{ what: "one", body }]), "one").catch((caught) => caught);
    expect((error as Error).message).toMatch(/Error: a\[31mb x+…$/);
    expect((error as Error).message.length).toBeLessThanOrEqual(1_024);
  });
});

describe("runs", () => {
  const body = `
    at((globalThis as any).kept ?? "clean");
    (globalThis as any).kept = "kept";
    (Array.prototype as any).kept = (App.prototype as any).kept = 1;`;
  const main = programOf([
    { what: "one", body },
    { what: "other", body },
  ]);

  test("of one program are isolated from each other", async () => {
    for (const what of ["one", "other", "one"]) {
      expect((await run(main, what)).manifests[0]?.["data"]).toEqual({ seen: "clean" });
    }
  });
});
