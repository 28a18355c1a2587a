import { describe, expect, test } from "vitest";
import * as z from "zod";
import { toStructural } from "../../crds/structural.ts";
import type { UnstructurableSchemaError } from "../../crds/structural-schema.ts";

const unknownKept = { "x-kubernetes-preserve-unknown-fields": true };

test.for<{ does: string; schema: z.ZodType; gives: object }>([
  {
    does: "writes int32 as a format, without its bounds",
    schema: z.int32(),
    gives: { type: "integer", format: "int32" },
  },
  {
    does: "keeps explicit bounds",
    schema: z.int32().min(0).max(100),
    gives: { type: "integer", format: "int32", minimum: 0, maximum: 100 },
  },
  { does: "drops the bounds of a safe integer", schema: z.int(), gives: { type: "integer" } },
  { does: "keeps doubles", schema: z.float64(), gives: { type: "number", format: "double" } },
  {
    does: "excludes a bound as OpenAPI 3.0 does",
    schema: z.number().positive(),
    gives: { type: "number", minimum: 0, exclusiveMinimum: true },
  },
  {
    does: "turns integer or string into int-or-string",
    schema: z.union([z.int(), z.string().regex(/^[0-9]+%$/)]).describe("How many."),
    gives: { "x-kubernetes-int-or-string": true, pattern: "^[0-9]+%$", description: "How many." },
  },
  {
    does: "describes the input of a transformation",
    schema: z.preprocess(String, z.string()).transform((text) => text.length),
    gives: { type: "string" },
  },
  { does: "keeps unknown values", schema: z.unknown(), gives: unknownKept },
  {
    does: "keeps unknown fields of a loose object in addition to known ones",
    schema: z.looseObject({ name: z.string() }),
    gives: { type: "object", properties: { name: { type: "string" } }, required: ["name"], ...unknownKept },
  },
  {
    does: "keeps all fields of an empty loose object",
    schema: z.looseObject({}),
    gives: { type: "object", ...unknownKept },
  },
  {
    does: "never writes additionalProperties next to properties",
    schema: z.strictObject({ a: z.string().optional() }),
    gives: { type: "object", properties: { a: { type: "string" } } },
  },
  {
    does: "writes a record as additionalProperties",
    schema: z.record(z.string(), z.int()),
    gives: { type: "object", additionalProperties: { type: "integer" } },
  },
  {
    does: "describes the input: a default makes a field optional",
    schema: z.object({ a: z.string().default("x"), b: z.string().describe("B.") }),
    gives: {
      type: "object",
      properties: { a: { type: "string", default: "x" }, b: { type: "string", description: "B." } },
      required: ["b"],
    },
  },
  {
    does: "omits a default of null",
    schema: z.string().nullable().default(null),
    gives: { type: "string", nullable: true },
  },
  { does: "converts null", schema: z.union([z.int(), z.null()]), gives: { type: "integer", nullable: true } },
  { does: "writes a literal as an enum", schema: z.literal("a"), gives: { type: "string", enum: ["a"] } },
  {
    does: "joins literals to one enum",
    schema: z.union([z.literal("a"), z.enum(["b", "a"])]),
    gives: { type: "string", enum: ["a", "b"] },
  },
  {
    does: "omits the pattern of date-time",
    schema: z.iso.datetime(),
    gives: { type: "string", format: "date-time" },
  },
  {
    does: "omits formats with another meaning in Kubernetes",
    schema: z.string().meta({ format: "duration" }),
    gives: { type: "string" },
  },
  {
    does: "keeps a pattern",
    schema: z.string().min(1).regex(/^a/),
    gives: { type: "string", minLength: 1, pattern: "^a" },
  },
  {
    does: "keeps several patterns, without types below allOf",
    schema: z.string().regex(/^a/).regex(/b$/),
    gives: { type: "string", allOf: [{ pattern: "^a" }, { pattern: "b$" }] },
  },
  {
    does: "keeps list types and map keys",
    schema: z
      .array(z.object({ type: z.string() }))
      .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"] }),
    gives: {
      type: "array",
      items: { type: "object", properties: { type: { type: "string" } }, required: ["type"] },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["type"],
    },
  },
  {
    does: "keeps CEL rules, and removes keywords that a CRD does not support",
    schema: z
      .object({ a: z.int().optional() })
      .readonly()
      .meta({
        "x-kubernetes-validations": [{ rule: "true", message: "m" }],
        examples: [{}],
        deprecated: true,
      }),
    gives: {
      type: "object",
      properties: { a: { type: "integer" } },
      "x-kubernetes-validations": [{ rule: "true", message: "m" }],
    },
  },
  {
    does: "inlines a named schema",
    schema: z.object({ a: z.string().meta({ id: "StructuralTestName" }).optional() }),
    gives: { type: "object", properties: { a: { type: "string" } } },
  },
])("toStructural() $does", ({ schema, gives }) => {
  expect(toStructural(schema, "spec")).toEqual(gives);
});

describe("toStructural() of a discriminated union", () => {
  const target = z.discriminatedUnion("type", [
    z.object({
      type: z.literal("git"),
      url: z.string(),
      depth: z.int().default(1),
      "sub-path": z.string().optional(),
    }),
    z.object({ type: z.enum(["bucket", "chart"]), url: z.string().describe("Where."), in: z.string() }),
  ]);
  const flat = toStructural(target, "spec.source");

  test("returns one object with the fields of all variants", () => {
    expect(flat).toMatchObject({
      type: "object",
      required: ["type", "url"],
      properties: {
        type: { type: "string", enum: ["git", "bucket", "chart"] },
        url: { type: "string", description: "Where." },
        in: { type: "string" },
      },
    });
    expect(JSON.stringify(flat)).not.toContain("oneOf");
  });

  test("defines in CEL the required and forbidden fields of each variant", () => {
    expect(flat["x-kubernetes-validations"]).toEqual([
      { rule: '!has(self.depth) || self.type in ["git"]', message: "depth is only for type git" },
      {
        rule: '!has(self.sub__dash__path) || self.type in ["git"]',
        message: "sub-path is only for type git",
      },
      {
        rule: '!has(self.__in__) || self.type in ["bucket","chart"]',
        message: "in is only for type bucket, chart",
      },
      {
        rule: '!(self.type in ["bucket","chart"]) || has(self.__in__)',
        message: "in is required for type bucket, chart",
      },
    ]);
  });

  test("applies a rule of one variant only to that variant", () => {
    const rule = { rule: "self.x > 1", message: "more" };
    const variants = z.discriminatedUnion("type", [
      z.object({ type: z.literal("a"), x: z.int() }).meta({ "x-kubernetes-validations": [rule] }),
      z.object({ type: z.literal("b"), x: z.int() }),
    ]);
    expect(toStructural(variants, "spec")["x-kubernetes-validations"]).toEqual([
      { rule: '!(self.type in ["a"]) || (self.x > 1)', message: "more" },
    ]);
  });

  test("omits a default that the server would set in the wrong variant", () => {
    expect(flat.properties?.["depth"]).toEqual({ type: "integer" });
  });
});

interface Tree {
  readonly children?: readonly Tree[] | undefined;
}
const Tree: z.ZodType<Tree> = z.object({ children: z.lazy(() => z.array(Tree).optional()) });

const inside = (field: z.ZodType) => z.object({ list: z.array(z.object({ field })) });

test.for<{ what: string; schema: z.ZodType; path: string }>([
  { what: "a schema that contains itself", schema: z.object({ tree: Tree }), path: "spec.tree.children[]" },
  { what: "a schema that is a function", schema: inside(z.custom<number>()), path: "spec.list[].field" },
  { what: "a date", schema: inside(z.date()), path: "spec.list[].field" },
  { what: "a big integer", schema: z.record(z.string(), z.bigint()), path: "spec.*" },
  { what: "a tuple", schema: inside(z.tuple([z.string(), z.int()])), path: "spec.list[].field" },
  {
    what: "a union of different types",
    schema: inside(z.union([z.boolean(), z.string()])),
    path: "spec.list[].field",
  },
  {
    what: "objects without a discriminating field",
    schema: inside(z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])),
    path: "spec.list[].field",
  },
  {
    what: "a field with two schemas",
    schema: inside(
      z.discriminatedUnion("type", [
        z.object({ type: z.literal("a"), x: z.string() }),
        z.object({ type: z.literal("b"), x: z.int() }),
      ]),
    ),
    path: "spec.list[].field.x",
  },
  { what: "look-around in a pattern", schema: inside(z.string().regex(/a(?!b)/)), path: "spec.list[].field" },
  { what: "flags of a pattern", schema: inside(z.string().regex(/a/i)), path: "spec.list[].field" },
  { what: "values of several types", schema: inside(z.literal([1, "a"])), path: "spec.list[].field" },
  { what: "null among other values", schema: inside(z.enum(["a"]).nullable()), path: "spec.list[].field" },
  { what: "never", schema: inside(z.never()), path: "spec.list[].field" },
  {
    what: "additional fields besides named ones",
    schema: inside(z.object({ a: z.string() }).catchall(z.int())),
    path: "spec.list[].field",
  },
])("toStructural() refuses $what, and names the path", ({ schema, path }) => {
  expect(() => toStructural(schema, "spec")).toThrow(
    expect.objectContaining<Partial<UnstructurableSchemaError>>({ name: "UnstructurableSchemaError", path }),
  );
});
