import type * as z from "zod";
import { type StructuralSchema, UnstructurableSchemaError } from "./structural-schema.ts";

/** Keywords with the same meaning in a CRD and in JSON Schema. Others (`readOnly`, `examples`, …) have none in a CRD. */
const kept = [
  "type",
  "description",
  "title",
  "default",
  "nullable",
  "enum",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
];

/** Formats that Kubernetes validates as zod does. (Its `duration`, for example, is Go's and not ISO 8601's.) */
const formats = new Set([
  "date-time",
  "date",
  "int32",
  "int64",
  "float",
  "double",
  "byte",
  "uri",
  "email",
  "ipv4",
  "ipv6",
  "uuid",
]);

/** Bounds that zod writes for a type, and that only repeat the format or the precision of JavaScript. */
const typeBounds = new Set([
  Number.MIN_SAFE_INTEGER,
  Number.MAX_SAFE_INTEGER,
  -(2 ** 31),
  2 ** 31 - 1,
  -3.4028234663852886e38,
  3.4028234663852886e38,
  -Number.MAX_VALUE,
  Number.MAX_VALUE,
]);

/** Parts of a pattern that RE2, which the server uses, does not support: look-around, back references, `\u`. */
const notInRe2 = /\(\?<?[=!]|\\[1-9]|\\[kuc]/;

/** The keywords of one schema, except those that contain other schemas. */
export function keywordsOf(node: z.core.JSONSchema.BaseSchema, path: string): StructuralSchema {
  const result: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(node)) {
    if (kept.includes(keyword) || keyword.startsWith("x-kubernetes-")) result[keyword] = value;
  }
  for (const bound of ["minimum", "maximum"]) {
    if (typeBounds.has(Number(result[bound]))) delete result[bound];
  }
  // In zod a missing field may be null; the server does not need that, and cdk8s drops every null.
  if (result["default"] === null) delete result["default"];
  if (node.nullable === true && node.enum?.some((value) => value !== null)) {
    throw new UnstructurableSchemaError(path, "null cannot be one of its values; make it optional");
  }
  const { format } = node;
  if (format !== undefined && formats.has(format)) result["format"] = format;
  const patterns = patternsOf(node, path);
  if (patterns.length === 1) result["pattern"] = patterns[0];
  else if (patterns.length > 1) result["allOf"] = patterns.map((pattern) => ({ pattern }));
  return result;
}

/** Several patterns on one string become `allOf` in JSON Schema. */
function patternsOf(node: z.core.JSONSchema.BaseSchema, path: string): string[] {
  // The server validates these two by their format; zod's patterns for them are hundreds of characters long.
  if (node.format === "date-time" || node.format === "date") return [];
  const patterns = [node, ...(node.allOf ?? [])].flatMap((part) => part.pattern ?? []);
  const [unknown] = patterns.filter((pattern) => notInRe2.test(pattern));
  if (unknown === undefined) return patterns;
  if (node.format !== undefined && formats.has(node.format))
    return patterns.filter((pattern) => pattern !== unknown);
  throw new UnstructurableSchemaError(
    path,
    `the API server has no look-around or back references: ${unknown}`,
  );
}
