import { type StructuralSchema, UnstructurableSchemaError } from "./structural-schema.ts";
import { structuralVariants } from "./structural-variants.ts";

export interface StructuralUnionInput {
  readonly branches: readonly StructuralSchema[];
  /** Keywords of the union itself: description, default, … */
  readonly keywords: StructuralSchema;
  readonly path: string;
}

/**
 * Converts a union to one structural schema; `oneOf` may not contain types. Integer or string, enums of one type, a type
 * or null, and objects with a discriminating string field can be expressed; other unions cannot.
 */
export function structuralUnion({ branches, keywords, path }: StructuralUnionInput): StructuralSchema {
  const [first, ...others] = branches.filter((branch) => !isNull(branch));
  const nullable = branches.some(isNull) ? { nullable: true } : {};
  if (first === undefined) throw new UnstructurableSchemaError(path, "only null is valid");
  if (others.length === 0) return { ...first, ...keywords, ...nullable };
  const all = [first, ...others];
  const merged = intOrString(all) ?? mergedEnum(all) ?? structuralVariants(all, path);
  if (merged === undefined) {
    const reason =
      "it has several types, and only these can be distinguished: integer or string, enums, objects with a type field";
    throw new UnstructurableSchemaError(path, reason);
  }
  const rules = [keywords, merged].flatMap((part) => (part["x-kubernetes-validations"] ?? []) as object[]);
  const validations = rules.length === 0 ? {} : { "x-kubernetes-validations": rules };
  return { ...merged, ...keywords, ...nullable, ...validations };
}

/** For OpenAPI 3.0 zod writes null as an enum with only that value. */
function isNull({ enum: values }: StructuralSchema): boolean {
  return values?.every((value) => value === null) ?? false;
}

/** A pattern applies only to strings, and a bound only to integers, so both may stay. */
function intOrString(branches: readonly StructuralSchema[]): StructuralSchema | undefined {
  const types = branches.map(({ type }) => type).toSorted();
  if (types.join() !== "integer,string" || branches.some((branch) => branch.enum !== undefined))
    return undefined;
  const { type: _, format: __, ...rest } = Object.assign({}, ...branches) as StructuralSchema;
  return { ...rest, "x-kubernetes-int-or-string": true };
}

function mergedEnum(branches: readonly StructuralSchema[]): StructuralSchema | undefined {
  const [first] = branches;
  const isMergeable = branches.every((branch) => branch.enum !== undefined && branch.type === first?.type);
  if (!isMergeable || first?.type === undefined) return undefined;
  return { type: first.type, enum: [...new Set(branches.flatMap((branch) => branch.enum ?? []))] };
}
