import * as z from "zod";

type NoShape = Readonly<Record<never, never>>;

export interface ExactlyOneOptions<
  Needed extends z.core.$ZodShape = NoShape,
  Allowed extends z.core.$ZodShape = NoShape,
> {
  /**
   * A value of one field that an earlier version stored by default. An object that was stored with it may get another
   * field in addition, because `kubectl apply` cannot remove a field that no user wrote; then it is ignored.
   */
  readonly onceDefault?: readonly [name: string, value: string];
  /** Fields that are set only together with one of the named ones: required and optional ones. */
  readonly beside?: { readonly name: string; readonly needs: Needed; readonly allows: Allowed };
}

/** An object in which exactly one of the named fields must be set. */
export function exactlyOne<
  Shape extends z.core.$ZodShape,
  Needed extends z.core.$ZodShape = NoShape,
  Allowed extends z.core.$ZodShape = NoShape,
>(shape: Shape, description: string, { onceDefault, beside }: ExactlyOneOptions<Needed, Allowed> = {}) {
  const names = Object.keys(shape);
  const message = `exactly one of ${names.join(", ")} must be set`;
  const isAllowed = (value: Readonly<Record<string, unknown>>): boolean => {
    const count = names.filter((name) => value[name] !== undefined).length;
    return (
      count === 1 || (count === 2 && onceDefault !== undefined && value[onceDefault[0]] === onceDefault[1])
    );
  };
  const others = besideRuleOf(beside);
  return z
    .object({ ...shape, ...beside?.needs, ...beside?.allows } as Shape & Needed & Allowed)
    .refine((value) => isAllowed(value as Readonly<Record<string, unknown>>), { error: message })
    .refine((value) => others?.isAllowed(value as Readonly<Record<string, unknown>>) ?? true, {
      error: others?.message ?? "",
    })
    .meta({
      "x-kubernetes-validations": [
        { ...ruleOf(names, onceDefault), message },
        ...(others === undefined ? [] : [{ rule: others.rule, message: others.message }]),
      ],
    })
    .describe(description);
}

/** The rule for fields that depend on another one, in CEL and in zod. */
function besideRuleOf(beside: ExactlyOneOptions<z.core.$ZodShape, z.core.$ZodShape>["beside"]):
  | {
      readonly rule: string;
      readonly message: string;
      readonly isAllowed: (value: Readonly<Record<string, unknown>>) => boolean;
    }
  | undefined {
  if (beside === undefined) return undefined;
  const { name, needs, allows } = beside;
  const [needed, allowed] = [Object.keys(needs), Object.keys(allows)];
  const has = (field: string): string => `has(self.${reserved.has(field) ? `__${field}__` : field})`;
  return {
    rule: [
      ...needed.map((field) => `${has(name)} == ${has(field)}`),
      ...allowed.map((field) => `(!${has(field)} || ${has(name)})`),
    ].join(" && "),
    message: `${name} needs ${needed.join(", ")}, and only with ${name} may ${[...needed, ...allowed].join(", ")} be set`,
    isAllowed: (value) => {
      const isSet = value[name] !== undefined;
      return (
        needed.every((field) => (value[field] !== undefined) === isSet) &&
        (isSet || allowed.every((field) => value[field] === undefined))
      );
    },
  };
}

/** Reserved words of CEL: the API server escapes fields with these names. */
const reserved: ReadonlySet<string> = new Set(["namespace"]);

function ruleOf(names: readonly string[], onceDefault: ExactlyOneOptions["onceDefault"]): object {
  const count = names.map((name) => `(has(self.${name}) ? 1 : 0)`).join(" + ");
  if (onceDefault === undefined) return { rule: `${count} == 1` };
  const [name, value] = onceDefault;
  const isDefault = (of: string): string => `has(${of}.${name}) && ${of}.${name} == '${value}'`;
  const wasDefault = `oldSelf.hasValue() && ${isDefault("oldSelf.value()")}`;
  const rule = `${count} == 1 || (${count} == 2 && ${isDefault("self")} && ${wasDefault})`;
  // Also evaluated without an old object, as at creation.
  return { rule, optionalOldSelf: true };
}
