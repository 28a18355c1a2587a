import {
  type StructuralSchema,
  UnstructurableSchemaError,
  type ValidationRule,
} from "./structural-schema.ts";

/**
 * Converts objects with a discriminating string field to one object: it has the fields of all variants, and CEL rules
 * define which of them a variant requires and forbids. Undefined if no field discriminates them.
 */
export function structuralVariants(
  variants: readonly StructuralSchema[],
  path: string,
): StructuralSchema | undefined {
  const tag = tagOf(variants);
  if (tag === undefined) return undefined;
  const values = variants.flatMap((variant) => variant.properties?.[tag]?.enum ?? []);
  const properties: Record<string, StructuralSchema> = {
    [tag]: { ...descriptionOf(variants, tag), type: "string", enum: values },
  };
  const rules: ValidationRule[] = [];
  const required = [tag];
  for (const name of new Set(variants.flatMap(({ properties: fields = {} }) => Object.keys(fields)))) {
    if (name === tag) continue;
    const having = variants.filter((variant) => variant.properties?.[name] !== undefined);
    const needing = variants.filter((variant) => variant.required?.includes(name));
    const isEverywhere = having.length === variants.length;
    properties[name] = sharedField(having, name, { path, keepDefault: isEverywhere });
    const others = variants.filter((variant) => !having.includes(variant));
    if (others.some((variant) => !isLoose(variant))) {
      const allowed = [...having, ...others.filter(isLoose)];
      rules.push({
        rule: `!has(${fieldOf(name, path)}) || ${isOneOf(allowed, tag, path)}`,
        message: `${name} is only for ${tag} ${tagValues(allowed, tag).join(", ")}`,
      });
    }
    if (needing.length === variants.length) required.push(name);
    else if (needing.length > 0) {
      rules.push({
        rule: `!(${isOneOf(needing, tag, path)}) || has(${fieldOf(name, path)})`,
        message: `${name} is required for ${tag} ${tagValues(needing, tag).join(", ")}`,
      });
    }
  }
  for (const variant of variants) {
    // Rules that the author adds to one variant apply only to that one.
    for (const own of (variant["x-kubernetes-validations"] ?? []) as readonly ValidationRule[]) {
      rules.push({ ...own, rule: `!(${isOneOf([variant], tag, path)}) || (${own.rule})` });
    }
  }
  return {
    type: "object",
    properties,
    required,
    ...(variants.some(isLoose) ? { "x-kubernetes-preserve-unknown-fields": true } : {}),
    ...(rules.length === 0 ? {} : { "x-kubernetes-validations": rules }),
  };
}

/** The field that every variant requires and that has a different text in each. */
function tagOf(variants: readonly StructuralSchema[]): string | undefined {
  return variants[0]?.required?.find((name) => {
    const fields = variants.map((variant) => variant.properties?.[name]);
    const values = fields.flatMap((field) => field?.enum ?? []);
    return (
      fields.every((field) => field?.type === "string" && field.enum !== undefined) &&
      variants.every((variant) => variant.required?.includes(name)) &&
      new Set(values).size === values.length
    );
  });
}

function sharedField(
  variants: readonly StructuralSchema[],
  name: string,
  { path, keepDefault }: { path: string; keepDefault: boolean },
): StructuralSchema {
  const [first = {}, ...others] = variants.map((variant) => withoutDescription(variant.properties?.[name]));
  if (others.some((other) => JSON.stringify(other) !== JSON.stringify(first))) {
    throw new UnstructurableSchemaError(
      `${path}.${name}`,
      "it has another schema in another variant of the union",
    );
  }
  const { default: value, ...rest } = first;
  // The server would set the default in variants that may not have the field; zod still sets it in the right variants.
  const defaults = keepDefault && value !== undefined ? { default: value } : {};
  return { ...descriptionOf(variants, name), ...rest, ...defaults };
}

function withoutDescription(field: StructuralSchema = {}): StructuralSchema {
  const { description: _, ...rest } = field;
  return rest;
}

function descriptionOf(variants: readonly StructuralSchema[], name: string): { description?: string } {
  const texts = new Set(variants.flatMap((variant) => variant.properties?.[name]?.description ?? []));
  return texts.size === 0 ? {} : { description: [...texts].join(" ") };
}

function isLoose(variant: StructuralSchema): boolean {
  return variant["x-kubernetes-preserve-unknown-fields"] === true;
}

function tagValues(variants: readonly StructuralSchema[], tag: string): readonly unknown[] {
  return variants.flatMap((variant) => variant.properties?.[tag]?.enum ?? []);
}

function isOneOf(variants: readonly StructuralSchema[], tag: string, path: string): string {
  return `${fieldOf(tag, path)} in ${JSON.stringify(tagValues(variants, tag))}`;
}

const celWords =
  /^(true|false|null|in|as|break|const|continue|else|for|function|if|import|let|loop|package|namespace|return|var|void|while)$/;

/** A field in CEL; the API server renames names that are not identifiers there. */
function fieldOf(name: string, path: string): string {
  const escaped = name
    .replaceAll("__", "__underscores__")
    .replaceAll(".", "__dot__")
    .replaceAll("-", "__dash__")
    .replaceAll("/", "__slash__")
    .replace(celWords, "__$1__");
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(escaped)) return `self.${escaped}`;
  throw new UnstructurableSchemaError(`${path}.${name}`, "a rule cannot name this field");
}
