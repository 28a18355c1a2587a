import { parseArgs } from "node:util";

/** A flag of a program. */
export interface Flag<Value> {
  readonly description: string;
  /** Name of its value in texts: `number`. Undefined: the flag takes no value. */
  readonly value: string | undefined;
  readonly fallback: Value;
  /** Parses a value. Undefined: it is invalid. */
  readonly parse: (text: string) => Value | undefined;
}

type Flags = Readonly<Record<string, Flag<unknown>>>;

export interface FlagsInput<Named extends Flags> {
  /** The command that runs the program with flags: `npm run test:fuzz --`. */
  readonly command: string;
  readonly description: string;
  readonly flags: Named;
  /** Description of the arguments that are not flags. Default: there are none. */
  readonly rest?: string;
}

export interface FlagValues<Named extends Flags> {
  readonly values: { readonly [Name in keyof Named]: Named[Name] extends Flag<infer Value> ? Value : never };
  /** The arguments that are not flags, and those after `--`. */
  readonly rest: readonly string[];
}

/** A text to print instead of running the program. */
export interface FlagsAnswer {
  readonly text: string;
  /** 0: the text is the help. 2: a flag is invalid. */
  readonly exitCode: 0 | 2;
}

/** Reads the flags of this process. Prints the help or an error instead, and ends the process. */
export function readFlags<Named extends Flags>(input: FlagsInput<Named>): FlagValues<Named> {
  const parsed = parseFlags(process.argv.slice(2), input);
  if ("values" in parsed) return parsed;
  const { text, exitCode } = parsed;
  (exitCode === 0 ? process.stdout : process.stderr).write(`${text}\n`);
  process.exit(exitCode);
}

/** Parses the flags of a program. Pure. */
export function parseFlags<Named extends Flags>(
  args: readonly string[],
  input: FlagsInput<Named>,
): FlagValues<Named> | FlagsAnswer {
  const options: Record<string, { readonly type: "string" | "boolean" }> = { help: { type: "boolean" } };
  for (const [name, { value }] of Object.entries(input.flags))
    options[name] = { type: value === undefined ? "boolean" : "string" };
  try {
    const allowPositionals = input.rest !== undefined;
    const parsed = parseArgs({ args: [...args], options, strict: true, allowPositionals });
    if (parsed.values["help"] === true) return { text: describeFlags(input), exitCode: 0 };
    const values = Object.entries(input.flags).map(([name, flag]) => {
      const text = parsed.values[name];
      return [name, text === undefined ? flag.fallback : parseValue(name, flag, String(text))];
    });
    return { values: Object.fromEntries(values), rest: parsed.positionals } as FlagValues<Named>;
  } catch (error) {
    // An error of parseArgs explains positional arguments in further sentences.
    const [reason = ""] = (error as Error).message.split(/\. |\.?\n/);
    return { text: `${reason}; --help lists the flags`, exitCode: 2 };
  }
}

function parseValue(name: string, flag: Flag<unknown>, text: string): unknown {
  const value = flag.parse(text);
  if (value === undefined)
    throw new Error(`Cannot read "--${name}=${text}": expected --${name} <${flag.value}>`);
  return value;
}

function describeFlags({ command, description, flags, rest }: FlagsInput<Flags>): string {
  const rows = Object.entries(flags).map(([name, flag]) => {
    const { description, value, fallback } = flag;
    const hasDefault = typeof fallback === "number" || typeof fallback === "string";
    const text = hasDefault ? `${description} Default: ${fallback}.` : description;
    return [value === undefined ? `--${name}` : `--${name} <${value}>`, text];
  });
  if (rest !== undefined) rows.push(["[arguments]", rest]);
  const width = Math.max(...rows.map(([name = ""]) => name.length));
  const lines = rows.map(([name = "", text]) => `  ${name.padEnd(width)}  ${text}`);
  const words = rest === undefined ? "[flags]" : "[flags] [arguments]";
  return [description, "", `Usage: ${command} ${words}`, "", ...lines].join("\n");
}

/** A flag with a number. */
export function numberFlag<Fallback extends number | undefined>(
  description: string,
  fallback: Fallback,
): Flag<number | Fallback> {
  return { description, fallback, value: "number", parse: parseNumber };
}

/** A flag with numbers that are separated by commas. Default: none. */
export function numbersFlag(description: string): Flag<readonly number[]> {
  const parse = (text: string): readonly number[] | undefined => {
    const numbers = text.split(",").map(parseNumber);
    return numbers.every((one) => one !== undefined) ? numbers : undefined;
  };
  return { description, fallback: [], value: "number,...", parse };
}

/** A flag with names that are separated by commas. */
export function namesFlag(description: string): Flag<readonly string[] | undefined> {
  return { description, fallback: undefined, value: "name,...", parse: (text) => text.split(",") };
}

export function folderFlag(description: string, fallback: string): Flag<string> {
  return { description, fallback, value: "folder", parse: (text) => text };
}

/** A flag with one of some names. The first one is the default. */
export function choiceFlag<Name extends string>(
  description: string,
  names: readonly [Name, ...Name[]],
): Flag<Name> {
  const parse = (text: string): Name | undefined => names.find((name) => name === text);
  return { description, fallback: names[0], value: names.join("|"), parse };
}

/** A flag without a value. Default: false. */
export function switchFlag(description: string): Flag<boolean> {
  return { description, fallback: false, value: undefined, parse: () => true };
}

function parseNumber(text: string): number | undefined {
  const number = Number(text);
  return text.trim() === "" || !Number.isFinite(number) ? undefined : number;
}
