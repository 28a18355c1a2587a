import type { StructuralSchema } from "../../crds/structural-schema.ts";
import { type FieldShape, metadata } from "./field-shape.ts";

const plain: FieldShape = {};

/**
 * The shape of the objects of a version of a custom resource, according to its schema. Pure.
 *
 * @param schema Schema of the whole object, as in the CRD.
 */
export function shapeOfResource(schema: StructuralSchema): FieldShape {
  const shape = shapeOfSchema(schema);
  return { ...shape, fields: { ...shape.fields, metadata } };
}

/**
 * The shape of the values of a schema: how the API server merges its lists and maps in a server-side apply, and the
 * defaults that it sets. Unknown content (`x-kubernetes-preserve-unknown-fields`) merges like plain maps and atomic lists,
 * which need no shape. Pure.
 */
export function shapeOfSchema(schema: StructuralSchema): FieldShape {
  if (schema.items !== undefined) return shapeOfList(schema, schema.items);
  const { properties = {}, additionalProperties } = schema;
  const isEmbedded = schema["x-kubernetes-embedded-resource"] === true;
  const fields = Object.entries(properties)
    .map(([name, field]) => [name, shapeOfSchema(field)] as const)
    .filter(([, shape]) => shape !== plain);
  const each = additionalProperties === undefined ? plain : shapeOfSchema(additionalProperties);
  const defaults = Object.entries(properties).flatMap(([name, { default: value }]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const isAtomic = schema["x-kubernetes-map-type"] === "atomic";
  if (!isEmbedded && fields.length + defaults.length === 0 && each === plain && !isAtomic) return plain;
  return {
    ...((isEmbedded || fields.length > 0) && {
      fields: { ...Object.fromEntries(fields), ...(isEmbedded && { metadata }) },
    }),
    ...(each !== plain && { each }),
    ...(isAtomic && { atomic: true }),
    ...(defaults.length > 0 && { defaults: Object.fromEntries(defaults) }),
  };
}

/** A list is atomic unless its schema has another type. */
function shapeOfList(schema: StructuralSchema, items: StructuralSchema): FieldShape {
  const each = shapeOfSchema(items);
  const type = schema["x-kubernetes-list-type"];
  // Charts and controllers read a list in its order, so the order of our items is part of the value.
  if (type === "map")
    return { keys: schema["x-kubernetes-list-map-keys"] as readonly string[], each, ordered: true };
  // The members of any other set are objects or lists. It is compared as a whole.
  if (type === "set" && isScalar(items)) return { set: true };
  return each === plain ? plain : { each };
}

function isScalar({ type, ...schema }: StructuralSchema): boolean {
  return (
    schema["x-kubernetes-int-or-string"] === true ||
    ["boolean", "integer", "number", "string"].includes(type ?? "")
  );
}
