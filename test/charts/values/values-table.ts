import * as z from "zod";
import { operatorValues } from "../../../charts/values/operator-values.ts";

interface Shape {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
}

const schema = z.toJSONSchema(operatorValues, { io: "input", unrepresentable: "any" }) as Shape;

/** The rows of the table in docs/values.md: path, what is expected, default, meaning. */
export function valuesTable(): readonly string[] {
  return rowsOf(schema, "");
}

function rowsOf({ properties = {} }: Shape, prefix: string): readonly string[] {
  return Object.entries(properties).flatMap(([name, shape]) => {
    const path = `${prefix}${name}`;
    const isGroup = Object.values(shape.properties ?? {}).some(
      ({ description }) => description !== undefined,
    );
    if (isGroup) return rowsOf(shape, `${path}.`);
    return [`| \`${path}\` | ${typeOf(shape)} | ${defaultOf(shape)} | ${shape.description} |`];
  });
}

function typeOf({ type, enum: choices, items }: Shape): string {
  if (choices !== undefined) return choices.map((choice) => `\`${choice}\``).join(", ");
  if (type === "array") return items?.type === "object" ? "list" : `list of ${wordOf(items?.type)}s`;
  return wordOf(type);
}

function wordOf(type: string | undefined): string {
  return { string: "text", boolean: "true, false", integer: "number", object: "map" }[type ?? ""] ?? "text";
}

function defaultOf({ default: fallback }: Shape): string {
  if (fallback === undefined) return "";
  return `\`${typeof fallback === "string" && fallback !== "" ? fallback : JSON.stringify(fallback)}\``;
}
