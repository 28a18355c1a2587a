import * as z from "zod";

/** An object in which exactly one of the named fields may be there. */
export function exactlyOne<Shape extends z.core.$ZodShape>(shape: Shape, description: string) {
  const names = Object.keys(shape);
  const message = `exactly one of ${names.join(", ")} must be set`;
  const count = names.map((name) => `(has(self.${name}) ? 1 : 0)`).join(" + ");
  return z
    .object(shape)
    .refine(
      (value) => names.filter((name) => (value as Record<string, unknown>)[name] !== undefined).length === 1,
      {
        error: message,
      },
    )
    .meta({ "x-kubernetes-validations": [{ rule: `${count} == 1`, message }] })
    .describe(description);
}
