import type { KindVersion } from "./kind.ts";
import { toStructural } from "./structural.ts";
import type { StructuralSchema } from "./structural-schema.ts";

/** Maximum number of fields in a message. */
const mostNamed = 5;

/**
 * Rejects versions between which a field would be lost. The API server converts between them by changing only
 * `apiVersion`: it drops each field that the schema of the other version does not have, without an error.
 *
 * @param title Title of the kind, for the message.
 * @throws {RangeError} that names the fields, the versions and what to do.
 */
export function refuseLostFields(versions: readonly KindVersion[], title: string): void {
  if (versions.length < 2) return;
  const schemas = versions.map((version) => ({ version, schema: schemaOf(version) }));
  for (const from of schemas) {
    // No resource is converted to a version that is not served.
    for (const to of schemas.filter(({ version }) => version.served && version !== from.version)) {
      const lost = [...findLost(from.schema, to.schema, "")];
      if (lost.length === 0) continue;
      const [has, lacks] = [from.version.name, to.version.name];
      const more = lost.length > mostNamed ? ` and ${lost.length - mostNamed} more` : "";
      const remedy = to.version.storage
        ? `remove version ${has} when no resource is stored in it`
        : `set served: false in version ${lacks}`;
      throw new RangeError(
        `Cannot define "${title}": version ${lacks} cannot hold ${lost.slice(0, mostNamed).join(", ")}${more} of version ` +
          `${has}, and resources that pass from ${has} to ${lacks} would lose it without an error; add it to version ` +
          `${lacks} as an optional field, or ${remedy}`,
      );
    }
  }
}

function schemaOf({ spec, status }: KindVersion): StructuralSchema {
  const properties = { spec: toStructural(spec, "spec"), status: toStructural(status, "status") };
  return { type: "object", properties };
}

/**
 * Paths of the fields that the values of one schema may have, and of those that are dropped when it is read by another.
 */
function* findLost(from: StructuralSchema, to: StructuralSchema, path: string): Generator<string> {
  if (isOpen(to)) return;
  const shape = shapeOf(from);
  if (isOpen(from) || shape !== shapeOf(to)) {
    yield isOpen(from) ? below(path, "*") : path;
    return;
  }
  if (shape === "list") {
    yield* findLost(from.items ?? {}, to.items ?? {}, `${path}[]`);
    return;
  }
  for (const [name, field] of Object.entries(from.properties ?? {})) {
    const same = to.properties?.[name] ?? to.additionalProperties;
    if (same === undefined) yield below(path, name);
    else yield* findLost(field, same, below(path, name));
  }
  if (from.additionalProperties === undefined) return;
  if (to.additionalProperties === undefined) yield below(path, "*");
  else yield* findLost(from.additionalProperties, to.additionalProperties, below(path, "*"));
}

/** Whether a schema keeps unknown content of a value. */
function isOpen(schema: StructuralSchema): boolean {
  return schema["x-kubernetes-preserve-unknown-fields"] === true;
}

function shapeOf({ type, items, properties, additionalProperties }: StructuralSchema) {
  if (type === "array" || items !== undefined) return "list";
  const isObject = type === "object" || properties !== undefined || additionalProperties !== undefined;
  return isObject ? "object" : "scalar";
}

function below(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
