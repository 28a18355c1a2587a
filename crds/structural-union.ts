import { type StructuralSchema, UnstructurableSchemaError } from "./structural-schema.ts";
import { structuralVariants } from "./structural-variants.ts";

export interface StructuralUnionInput {
  readonly branches: readonly StructuralSchema[];
  /** Keywords of the union itself: description, default, … */
  readonly keywords: StructuralSchema;
  readonly path: string;
}

/**
 * A union as one structural schema; `oneOf` may not hold types. Integer or string, enums of one type, a type or
 * null, and objects told apart by a string field can be said; nothing else can.
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
      "it has several types, and only these can be told: integer or string, enums, objects with a type field";
    throw new UnstructurableSchemaError(path, reason);
  }
  const rules = [keywords, merged].flatMap((part) => (part["x-kubernetes-validations"] ?? []) as object[]);
  const validations = rules.length === 0 ? {} : { "x-kubernetes-validations": rules };
  return { ...merged, ...keywords, ...nullable, ...validations };
}

/** zod writes null for OpenAPI 3.0 as an enum that has nothing else. */
function isNull({ enum: values }: StructuralSchema): boolean {
  return values?.every((value) => value === null) ?? false;
}

/** A pattern on the string holds for strings only, a bound on the integer for integers, so both may stay. */
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
