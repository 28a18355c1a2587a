import { readFile } from "node:fs/promises";
import { parse } from "yaml";
import { parseValues } from "../../synth/values-text.ts";
import type { Values } from "./merge-values.ts";

/** `--values` or `--set` cannot be read. */
export class ValuesSourceError extends Error {
  override readonly name = "ValuesSourceError";
}

export interface ValuesSource {
  /** Path of a YAML file. */
  readonly values?: string;
  /** Settings `a.b=c`. Later ones override earlier ones, and all override the file. */
  readonly set?: readonly string[];
}

/**
 * Reads values from a file and from single settings. Their meaning is not validated here.
 *
 * @throws ValuesSourceError or ValuesTextError that name what cannot be read.
 */
export async function gatherValues({ values, set = [] }: ValuesSource): Promise<Values> {
  const given = values === undefined ? {} : parseValues(await readText(values), values);
  return set.reduce(setOne, given);
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new ValuesSourceError(`Cannot read "${file}": ${code === "ENOENT" ? "no such file" : message}`, {
      cause: error,
    });
  }
}

/** One setting; its value is parsed as YAML: `true`, `3`, `[a, b]`, a text. A dot in a name is written `\.`. */
export function setOne(values: Values, setting: string): Values {
  const [, path = "", text = ""] = /^([^=]+)=(.*)$/s.exec(setting) ?? [];
  if (path === "") throw new ValuesSourceError(`Cannot use --set "${setting}": expected name=value`);
  const names = path.split(/(?<!\\)\./).map((name) => name.replaceAll("\\.", "."));
  if (names.includes("")) throw new ValuesSourceError(`Cannot use --set "${setting}": a name is empty`);
  return setAt(values, names, readValue(setting, text));
}

function readValue(setting: string, text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw new ValuesSourceError(`Cannot use --set "${setting}": its value is not YAML`, { cause: error });
  }
}

/** Values with one of them set, by its path. Pure. */
export function setAt(values: unknown, [name = "", ...rest]: readonly string[], value: unknown): Values {
  const isMap = typeof values === "object" && values !== null && !Array.isArray(values);
  const fields = isMap ? (values as Values) : {};
  // Only own properties: `__proto__` is a name like any other, which the schema rejects.
  const before = Object.hasOwn(fields, name) ? fields[name] : undefined;
  const entries = Object.entries(fields).filter(([key]) => key !== name);
  return Object.fromEntries([...entries, [name, rest.length === 0 ? value : setAt(before, rest, value)]]);
}
