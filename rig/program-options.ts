import { Command, InvalidArgumentError } from "commander";

/**
 * Creates the command of a test program. It ends the process with 0 after the help, and with 2 if an argument is invalid.
 *
 * @param name The command that runs the program with options: `npm run test:fuzz --`.
 */
export function testProgram(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .showHelpAfterError(`(${name} --help lists the options)`)
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));
}

export function parseNumber(text: string): number {
  const number = Number(text);
  if (text.trim() === "" || !Number.isFinite(number)) throw new InvalidArgumentError("Expected a number");
  return number;
}

export function parseCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1)
    throw new InvalidArgumentError("Expected an integer of at least 1");
  return count;
}

/** Parses numbers that are separated by commas. */
export function parseNumbers(text: string): readonly number[] {
  return text.split(",").map(parseNumber);
}

/** Parses names that are separated by commas. */
export function parseNames<Name extends string>(text: string, known: readonly Name[]): readonly Name[] {
  const names = text.split(",").map((word) => known.find((name) => name === word.trim()));
  const found = names.filter((name) => name !== undefined);
  if (found.length < names.length) throw new InvalidArgumentError(`Expected names from ${known.join(", ")}`);
  return found;
}
