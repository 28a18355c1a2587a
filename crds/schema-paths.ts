import * as z from "zod";
import type { PrinterColumn, Scale } from "./kind.ts";

/** Schemas to which paths may lead. */
export interface PathSchemas {
  readonly spec: z.ZodType;
  /** Undefined: the kind has no status. */
  readonly status: z.ZodType | undefined;
}

/**
 * Checks that columns and the scale subresource read existing fields of the schema: kubectl shows an empty column for
 * any other path, and the API server rejects requests for the scale of an object.
 *
 * @throws {RangeError} that names the column or path, the field, and the existing fields.
 */
export function refuseUnknownPaths(
  { columns, scale }: { readonly columns: readonly PrinterColumn[]; readonly scale: Scale | undefined },
  schemas: PathSchemas,
  title: string,
): void {
  const refuse = (what: string, why: string) => {
    throw new RangeError(`Cannot define "${title}": ${what}: ${why}`);
  };
  for (const { name, jsonPath } of columns) {
    const found = follow(jsonPath, schemas);
    if (typeof found === "string") refuse(`column "${name}" reads ${jsonPath}`, found);
  }
  for (const [name, path] of Object.entries(scale ?? {}) as [keyof Scale, string][]) {
    const what = `scale.${name} is ${path}`;
    const found = follow(path, schemas);
    if (typeof found === "string") refuse(what, found);
    const { roots, leaf } = scalePaths[name];
    if (!roots.some((root) => path.startsWith(root)))
      refuse(what, `expected a path below ${roots.join(" or ")}`);
    if (typeof found === "object" && !found.some((one) => typeOf(one) === leaf))
      refuse(what, `expected the path of a ${leaf}`);
  }
}

/** Requirements of the API server for the paths. */
const scalePaths: Readonly<
  Record<keyof Scale, { readonly roots: readonly string[]; readonly leaf: "number" | "string" }>
> = {
  specReplicasPath: { roots: [".spec."], leaf: "number" },
  statusReplicasPath: { roots: [".status."], leaf: "number" },
  labelSelectorPath: { roots: [".spec.", ".status."], leaf: "string" },
};

/** A field `.name` or `["name"]`, or other brackets: elements of a list. */
const step = /\.((?:[^.[\]\\]|\\.)+)|\[(?:'([^']*)'|"([^"]*)")\]|\[([^\]]*)\]/y;

/** @returns The schemas to which a path may lead; undefined: unknown; a text: why it leads to none. */
function follow(jsonPath: string, { spec, status }: PathSchemas): readonly z.ZodType[] | string | undefined {
  let schemas: readonly z.ZodType[] = [];
  let path = "";
  step.lastIndex = 0;
  for (let match = step.exec(jsonPath); match !== null; match = step.exec(jsonPath)) {
    const [, plain, single, double] = match;
    const name = (plain ?? single ?? double)?.replaceAll(/\\(.)/g, "$1");
    if (path === "") {
      path = name ?? "";
      if (name !== "spec" && name !== "status")
        return isServers(name) ? undefined : noField(path, rootFields);
      const root = name === "spec" ? spec : status;
      if (root === undefined) return "the kind has no status (hasStatus is false)";
      schemas = variantsOf(root);
      continue;
    }
    // A path through a schema of any value, or through an unknown one, may lead anywhere.
    if (schemas.some(isUnknown)) return undefined;
    const next = schemas.flatMap((schema) => inside(schema, name)).flatMap(variantsOf);
    if (next.length === 0)
      return name === undefined ? `${path} is not a list` : noField(`${path}.${name}`, fieldsOf(schemas));
    path = name === undefined ? `${path}[]` : `${path}.${name}`;
    schemas = next;
  }
  return path === "" ? noField(jsonPath, rootFields) : schemas;
}

const rootFields = ["spec", "status", "metadata"];

/** Fields that the API server defines. */
function isServers(name: string | undefined): boolean {
  return name === "metadata" || name === "kind" || name === "apiVersion";
}

function noField(path: string, fields: readonly string[]): string {
  return `the schema has no ${path}; ${fields.length === 0 ? "it has no fields there" : `there are ${fields.join(", ")}`}`;
}

function fieldsOf(schemas: readonly z.ZodType[]): readonly string[] {
  return [
    ...new Set(schemas.flatMap((schema) => (schema instanceof z.ZodObject ? Object.keys(schema.shape) : []))),
  ];
}

function inside(schema: z.ZodType, name: string | undefined): readonly z.ZodType[] {
  if (name === undefined) return schema instanceof z.ZodArray ? [schema.element as z.ZodType] : [];
  if (schema instanceof z.ZodRecord) return [schema.valueType as z.ZodType];
  if (!(schema instanceof z.ZodObject)) return [];
  const field: unknown = Object.hasOwn(schema.shape, name) ? schema.shape[name] : schema.def.catchall;
  return field === undefined || field instanceof z.ZodNever ? [] : [field as z.ZodType];
}

const openTypes: ReadonlySet<string> = new Set(["any", "unknown", "lazy", "custom", "transform"]);

function isUnknown(schema: z.ZodType): boolean {
  return openTypes.has(schema.def.type);
}

/** A schema without its wrappers; all branches of a union. */
function variantsOf(schema: z.ZodType): readonly z.ZodType[] {
  const { innerType, options, left, right, in: input, out } = schema.def as unknown as WrapperDef;
  if (innerType !== undefined) return variantsOf(innerType);
  if (Array.isArray(options)) return options.flatMap(variantsOf);
  if (left !== undefined && right !== undefined) return [left, right].flatMap(variantsOf);
  if (input !== undefined && out !== undefined)
    return variantsOf(input.def.type === "transform" ? out : input);
  return [schema];
}

interface WrapperDef {
  readonly innerType?: z.ZodType;
  readonly options?: readonly z.ZodType[];
  readonly left?: z.ZodType;
  readonly right?: z.ZodType;
  readonly in?: z.ZodType;
  readonly out?: z.ZodType;
}

function typeOf(schema: z.ZodType): string {
  return schema.def.type === "int" ? "number" : schema.def.type;
}
