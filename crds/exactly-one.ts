import * as z from "zod";

export interface ExactlyOneOptions {
  /**
   * A value of one field that an earlier version stored by default. It may stand beside another field, and counts for nothing
   * there: `kubectl apply` cannot take away what nobody wrote, and a backup of such an object can be restored.
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
  const isOnceDefault = `has(self.${name}) && self.${name} == '${value}'`;
  return { rule: `${count} == 1 || (${count} == 2 && ${isOnceDefault})` };
}
