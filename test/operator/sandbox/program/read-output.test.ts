import { describe, expect, test } from "vitest";
import { readHead, readObjects } from "../../../../operator/sandbox/program/read-output.ts";
import { renderLimits } from "../../../../operator/sandbox/render-limits.ts";
import { digestOf, toCanonicalJson } from "../../../../synth/digest.ts";

const configMap = (name: string, fields: object = {}): object => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  ...fields,
});

function outputOf(objects: readonly (object | string)[], head: object = {}): Buffer {
  const lines = objects.map((object) => (typeof object === "string" ? object : JSON.stringify(object)));
  const origins = objects.map((_, index) => `shop/${index}`);
  const first = JSON.stringify({ state: "collected", origins, edges: [], log: "", ...head });
  return Buffer.from([first, ...lines].join("\n"));
}

async function read(output: Buffer): ReturnType<typeof readObjects> {
  const { head } = await readHead(output);
  if (head.state !== "collected") throw new Error(`the head says ${head.state}`);
  return readObjects(output, head, { objects: 3 });
}

describe("readObjects()", () => {
  test("returns manifests with their origins, dependencies and digest", async () => {
    const objects = [configMap("a"), configMap("b", { data: { x: "1" } })];
    const rendered = await read(outputOf(objects, { edges: [[1, 0]] }));
    expect(rendered).toEqual({
      manifests: objects,
      origins: ["shop/0", "shop/1"],
      dependencies: new Map([[1, [0]]]),
      digest: digestOf(toCanonicalJson(objects)),
      size: expect.any(Number),
    });
  });

  test("returns an empty list for a program without objects", async () => {
    expect(await read(outputOf([]))).toMatchObject({ manifests: [], digest: digestOf("[]") });
  });

  test("removes fields that only the API server writes, with a warning", async () => {
    const object = {
      ...configMap("a", { status: {} }),
      metadata: { name: "a", uid: "1", labels: { a: "b" } },
    };
    const { manifests, warnings } = await read(outputOf([object]));
    expect(manifests).toEqual([{ ...configMap("a"), metadata: { name: "a", labels: { a: "b" } } }]);
    expect(warnings).toEqual(["shop/0: status, metadata.uid ignored"]);
  });

  test("refuses objects that take much more memory than text", async () => {
    const many = configMap("a", { list: Array.from({ length: 400_000 }, () => ({})) });
    await expect(read(outputOf([many]))).rejects.toMatchObject({
      reason: "RenderLimit",
      message: "Cannot render the program: one of its objects takes more than 32 MiB of memory",
    });
  });

  test("refuses an object with more values than the operator accepts, before it is parsed", async () => {
    const list = `[${"0,".repeat(renderLimits.values)}0]`;
    // Not JSON at its end, so parsing it would fail.
    const many = `${JSON.stringify(configMap("a")).slice(0, -1)},"list":${list}`;
    await expect(read(outputOf([many]))).rejects.toMatchObject({
      reason: "RenderLimit",
      message: "Cannot render the program: shop/0: the object has more than 250000 values",
    });
  });

  test("refuses objects that take too much memory together", async () => {
    const output = outputOf(
      ["a", "b", "c"].map((name) => configMap(name, { list: Array.from({ length: 1_000 }, () => ({})) })),
    );
    const { head } = await readHead(output);
    if (head.state !== "collected") throw new Error(`the head says ${head.state}`);
    await expect(readObjects(output, head, { objects: 3, memory: 0.2 * 2 ** 20 })).rejects.toThrow(
      "its objects take more than 0.2 MiB of memory",
    );
  });

  test("refuses an object that is too long before it estimates its memory", async () => {
    const output = outputOf([`"${"x".repeat(5 * 2 ** 20)}"`]);
    const { head } = await readHead(output);
    if (head.state !== "collected") throw new Error(head.state);
    await expect(readObjects(output, head, { objects: 3, memory: 2 ** 20 })).rejects.toThrow(
      "one of its objects is larger than 4 MiB",
    );
  });

  const deep = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;

  test.for([
    { what: "no JSON", objects: ["{"], says: "not a list of objects" },
    { what: "an array", objects: ["[]"], says: "not a list of objects" },
    { what: "null", objects: ["null"], says: "not a list of objects" },
    {
      what: "no apiVersion",
      objects: [{ kind: "A", metadata: { name: "a" } }],
      says: "apiVersion is not an API version but absent",
    },
    {
      what: "an invalid apiVersion",
      objects: [{ ...configMap("a"), apiVersion: "v1/../x" }],
      says: "apiVersion is not an API version",
    },
    {
      what: "no kind",
      objects: [{ apiVersion: "v1", metadata: { name: "a" } }],
      says: "kind is not a kind but absent",
    },
    { what: "no metadata", objects: [{ apiVersion: "v1", kind: "A" }], says: "it has no metadata" },
    {
      what: "no name",
      objects: [{ apiVersion: "v1", kind: "A", metadata: {} }],
      says: "metadata.name is not a name but absent",
    },
    { what: "a path as name", objects: [configMap("../x")], says: 'metadata.name is not a name but "../x"' },
    {
      what: "a number as label",
      objects: [{ ...configMap("a"), metadata: { name: "a", labels: { x: 1 } } }],
      says: 'metadata.labels["x"] is not text but 1',
    },
    {
      what: "an invalid namespace",
      objects: [{ ...configMap("a"), metadata: { name: "a", namespace: "A/b" } }],
      says: "metadata.namespace is not a namespace name",
    },
    {
      what: "__proto__",
      objects: ['{"apiVersion":"v1","kind":"A","metadata":{"name":"a"},"x":[{"__proto__":{}}]}'],
      says: 'x[0] has a key "__proto__"',
    },
    {
      what: "deep nesting",
      objects: [`{"apiVersion":"v1","kind":"A","metadata":{"name":"a"},"x":${deep(5_000)}}`],
      says: "nested too deeply",
    },
    {
      what: "the same object twice",
      objects: [configMap("a"), configMap("a")],
      says: 'shop/1: "/ConfigMap//a" is created twice, first by shop/0',
    },
  ])("refuses $what", async ({ objects, says }) => {
    await expect(read(outputOf(objects))).rejects.toMatchObject({
      reason: "RenderFailed",
      message: expect.stringContaining(says),
    });
  });

  test("refuses more objects than are allowed", async () => {
    await expect(read(outputOf(["a", "b", "c", "d"].map((name) => configMap(name))))).rejects.toMatchObject({
      reason: "RenderLimit",
      message: expect.stringContaining("more than 3 objects"),
    });
  });

  test.for([
    { what: "an invalid index", edges: [[0, 7]] },
    { what: "a text as index", edges: [["0", 1]] },
    { what: "half an edge", edges: [[0]] },
  ])("refuses $what among the dependencies", async ({ edges }) => {
    await expect(read(outputOf([configMap("a")], { edges }))).rejects.toMatchObject({
      reason: "RenderFailed",
    });
  });

  test("reports a dependency cycle", async () => {
    const edges = [
      [0, 1],
      [1, 2],
      [2, 0],
    ];
    const output = outputOf(
      ["a", "b", "c"].map((name) => configMap(name)),
      { edges },
    );
    await expect(read(output)).rejects.toThrow("in a cycle: shop/0 → shop/1 → shop/2 → shop/0");
  });

  test("accepts a diamond of dependencies", async () => {
    const edges = [
      [0, 1],
      [0, 2],
      [1, 2],
    ];
    const output = outputOf(
      ["a", "b", "c"].map((name) => configMap(name)),
      { edges },
    );
    expect((await read(output)).dependencies).toEqual(
      new Map([
        [0, [1, 2]],
        [1, [2]],
      ]),
    );
  });
});

describe("readHead()", () => {
  test.for(["", "x", "[]", "null", "{}", '{"state":"done"}'])("refuses %s", async (text) => {
    await expect(readHead(Buffer.from(text))).rejects.toThrow("not a list of objects");
  });

  test.for([
    { what: "more dependencies than the harness writes", text: `{"edges":[${"[0,0],".repeat(120_000)}[0,0]` },
    { what: "more keys", text: `{${'"a":0,'.repeat(21)}"a":0` },
    { what: "deeper lists", text: '{"edges":[[[[' },
  ])("refuses a line with $what before it is parsed", async ({ text }) => {
    await expect(readHead(Buffer.from(text))).rejects.toThrow("not a list of objects");
  });

  test("accepts the largest line that the harness writes", async () => {
    const edges = Array.from({ length: renderLimits.edges }, () => [0, 1]);
    const origins = Array.from({ length: renderLimits.objects }, (_, index) => `a/${index}`);
    const { head } = await readHead(outputOf([], { edges, origins }));
    expect(head).toEqual({ state: "collected", origins, edges });
  });

  test("accepts only texts in an error", async () => {
    const error = { name: { a: 1 }, message: "no", stack: 7 };
    const { head } = await readHead(Buffer.from(JSON.stringify({ state: "failed", error })));
    expect(head).toEqual({
      state: "failed",
      doing: "run",
      error: { name: "", message: "no", stack: "", path: undefined },
    });
  });
});
