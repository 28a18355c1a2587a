import * as z from "zod";

export interface ExactlyOneOptions {
  /**
   * A value of one field that an earlier version stored by default. An object that was stored with it may get another
   * field beside it, because `kubectl apply` cannot remove a field that no user wrote; then it is ignored.
   */
  readonly onceDefault?: readonly [name: string, value: string];
}

/** An object in which exactly one of the named fields may be there. */
export function exactlyOne<Shape extends z.core.$ZodShape>(
  shape: Shape,
  description: string,
  { onceDefault }: ExactlyOneOptions = {},
) {
  const names = Object.keys(shape);
  const message = `exactly one of ${names.join(", ")} must be set`;
  const isAllowed = (value: Readonly<Record<string, unknown>>): boolean => {
    const count = names.filter((name) => value[name] !== undefined).length;
    return (
      count === 1 || (count === 2 && onceDefault !== undefined && value[onceDefault[0]] === onceDefault[1])
    );
  };
  return z
    .object(shape)
    .refine((value) => isAllowed(value as Readonly<Record<string, unknown>>), { error: message })
    .meta({ "x-kubernetes-validations": [{ ...ruleOf(names, onceDefault), message }] })
    .describe(description);
}

function ruleOf(names: readonly string[], onceDefault: ExactlyOneOptions["onceDefault"]): object {
  const count = names.map((name) => `(has(self.${name}) ? 1 : 0)`).join(" + ");
  if (onceDefault === undefined) return { rule: `${count} == 1` };
  const [name, value] = onceDefault;
  const isDefault = (of: string): string => `has(${of}.${name}) && ${of}.${name} == '${value}'`;
  const wasDefault = `oldSelf.hasValue() && ${isDefault("oldSelf.value()")}`;
  const rule = `${count} == 1 || (${count} == 2 && ${isDefault("self")} && ${wasDefault})`;
  // Also checked when there is nothing old, as at creation.
  return { rule, optionalOldSelf: true };
}
