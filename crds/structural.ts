import * as z from "zod";
import { keywordsOf } from "./structural-keywords.ts";
import { type StructuralSchema, UnstructurableSchemaError } from "./structural-schema.ts";
import { structuralUnion } from "./structural-union.ts";

type JsonSchema = z.core.JSONSchema.BaseSchema;

/**
 * Converts a zod schema to the schema of a CRD. Pure.
 *
 * It describes the input: a field with a default is optional. Descriptions, defaults, enums and entries of `.meta()`
 * that begin with `x-kubernetes-` are kept; loose objects and unknown values keep unknown fields.
 *
 * @param path Path of the schema in the resource, for messages: `spec`.
 * @throws {UnstructurableSchemaError} with the path, if the schema cannot be expressed in a CRD.
 */
export function toStructural(schema: z.ZodType, path: string): StructuralSchema {
  const root = jsonSchemaOf(schema, path);
  const definitions = (root["definitions"] ?? {}) as Readonly<Record<string, JsonSchema>>;
  const convert = (node: JsonSchema, at: string): StructuralSchema => {
    // JSON Schema refers to a schema with `.meta({ id })` by its name; in a CRD it must be inline.
    const reference = node.$ref ?? node.allOf?.find(({ $ref }) => $ref !== undefined)?.$ref;
    if (reference !== undefined) {
      const { $ref: _, allOf: __, ...own } = node;
      return convert({ ...definitions[reference.replace("#/definitions/", "")], ...own }, at);
    }
    const inside = (child: unknown, step: string) => convert(child as JsonSchema, `${at}${step}`);
    const branches = node.anyOf ?? node.oneOf;
    if (branches !== undefined) {
      return structuralUnion({
        branches: branches.map((branch) => inside(branch, "")),
        keywords: keywordsOf(node, at),
        path: at,
      });
    }
    if (node.not !== undefined) throw new UnstructurableSchemaError(at, "no value is valid");
    if (node.type === "object") return { ...keywordsOf(node, at), ...structuralObject(node, at, inside) };
    if (node.type === "array") return { ...keywordsOf(node, at), items: inside(node.items ?? {}, "[]") };
    if (node.type !== undefined) return keywordsOf(node, at);
    if (node.enum !== undefined) throw new UnstructurableSchemaError(at, "its values are of several types");
    return { ...keywordsOf(node, at), "x-kubernetes-preserve-unknown-fields": true };
  };
  return convert(root, path);
}

type Inside = (child: unknown, step: string) => StructuralSchema;

function structuralObject(node: JsonSchema, path: string, inside: Inside): StructuralSchema {
  const { properties = {}, required = [], additionalProperties: rest } = node;
  const fields = Object.entries(properties).map(
    ([name, field]) => [name, inside(field, `.${name}`)] as const,
  );
  const isLoose = typeof rest === "object" && Object.keys(rest).length === 0;
  const isRecord = typeof rest === "object" && !isLoose;
  if (isRecord && fields.length > 0) {
    throw new UnstructurableSchemaError(path, "it has named fields and a schema for all others");
  }
  return {
    ...(fields.length === 0 ? {} : { properties: Object.fromEntries(fields) }),
    ...(required.length === 0 ? {} : { required }),
    ...(isLoose ? { "x-kubernetes-preserve-unknown-fields": true } : {}),
    ...(isRecord ? { additionalProperties: inside(rest, ".*") } : {}),
  };
}

/** Types without an equivalent in JSON, or in a structural schema. */
const unstructurable: Readonly<Record<string, string>> = {
  custom: "a function decides what is valid",
  bigint: "JSON has no big integers",
  date: "JSON has no dates; use z.iso.datetime()",
  map: "JSON has no maps; use z.record()",
  set: "JSON has no sets; use z.array()",
  tuple: "a list in a CRD has one schema for all elements",
  undefined: "JSON has no undefined",
  symbol: "JSON has no symbols",
  nan: "JSON has no NaN",
  void: "JSON has no undefined",
  function: "JSON has no functions",
  file: "JSON has no files",
};

function jsonSchemaOf(schema: z.ZodType, path: string): JsonSchema {
  try {
    return z.toJSONSchema(schema, {
      target: "openapi-3.0",
      io: "input",
      cycles: "throw",
      reused: "inline",
      unrepresentable: "any",
      override: ({ zodSchema, jsonSchema, path: steps }) => {
        const { def } = zodSchema._zod;
        const at = readablePath(path, steps.map(String));
        const reason = unstructurable[def.type];
        if (reason !== undefined) throw new UnstructurableSchemaError(at, reason);
        if (patternsOf(def).some(({ flags }) => /[ims]/.test(flags))) {
          throw new UnstructurableSchemaError(at, "patterns have no flags; write (?i:…) inside");
        }
        const width = widths[String((def as { readonly format?: unknown }).format)];
        if (width !== undefined) jsonSchema["format"] ??= width;
      },
    });
  } catch (error) {
    const cycle =
      error instanceof Error ? /^Cycle detected: #\/(.*)\/<root>/.exec(error.message)?.[1] : undefined;
    if (cycle === undefined) throw error;
    const at = readablePath(path, cycle.split("/"));
    throw new UnstructurableSchemaError(at, "it contains itself, and a CRD has no references", {
      cause: error,
    });
  }
}

/** The patterns of a string, in their original form: JSON Schema drops their flags. */
function patternsOf({ checks = [] }: z.core.$ZodTypeDef): RegExp[] {
  const patterns = checks.map(({ _zod }) => (_zod.def as { readonly pattern?: unknown }).pattern);
  return patterns.filter((pattern) => pattern instanceof RegExp);
}

/** OpenAPI's names of zod's number formats. */
const widths: Readonly<Record<string, string>> = { int32: "int32", float32: "float", float64: "double" };

/** `spec`, `properties/ports/items` → `spec.ports[]`. */
function readablePath(path: string, steps: readonly string[]): string {
  let result = path;
  for (let index = 0; index < steps.length; index += 1) {
    if (steps[index] === "properties") {
      index += 1;
      result += `.${steps[index] ?? ""}`;
    } else if (steps[index] === "items") result += "[]";
    else if (steps[index] === "additionalProperties") result += ".*";
  }
  return result;
}
