import { parseArgs } from "node:util";
import { ConfigError, type OptionName, type OptionTexts, operatorOptions } from "../config.ts";

interface OptionShape {
  readonly flag: string;
  readonly value?: string;
  readonly repeatable?: true;
}

/**
 * Reads `--flag value` and `--flag=value` of an operator's own program, as its Deployment writes them; a leading word
 * `run` is ignored, so that the same arguments fit `fairlead run`.
 *
 * @throws ConfigError that names unknown options.
 */
export function parseOptionTexts(argv: readonly string[]): OptionTexts {
  const options = Object.entries(operatorOptions) as [OptionName, OptionShape][];
  const args = (argv[0] === "run" ? argv.slice(1) : argv)
    // A switch may have no value.
    .map((word) =>
      options.some(([, { flag, value }]) => value === undefined && word === `--${flag}`)
        ? `${word}=true`
        : word,
    );
  try {
    const { values } = parseArgs({
      args,
      options: Object.fromEntries(
        options.map(([, { flag, repeatable = false }]) => [
          flag,
          { type: "string" as const, multiple: repeatable },
        ]),
      ),
    });
    return Object.fromEntries(
      options.flatMap(([name, { flag }]) => (values[flag] === undefined ? [] : [[name, values[flag]]])),
    );
  } catch (error) {
    throw new ConfigError(error instanceof Error ? error.message : String(error));
  }
}
