import { parseCount, parseNames, parseNumber, testProgram } from "../program-options.ts";
import { readers } from "./readers.ts";
import type { Finding } from "./search.ts";
import { supervise } from "./supervise.ts";

interface FuzzOptions {
  readonly inputs: number;
  readonly seed: number;
  readonly minutes: number;
  readonly only?: readonly string[];
}

const parseReaders = (text: string): readonly string[] =>
  parseNames(
    text,
    readers.map(({ name }) => name),
  );
const { inputs, seed, minutes, only } = testProgram(
  "npm run test:fuzz --",
  "Searches for inputs that stop or crash a reader.",
)
  .option("--inputs <n>", "number of inputs", parseCount, 1_000_000)
  .option("--seed <number>", "seed of the inputs", parseNumber, 20_261_122)
  .option("--minutes <number>", "maximum duration in minutes", parseNumber, 60)
  .option("--only <names>", "names of readers; default: all", parseReaders)
  .parse()
  .opts<FuzzOptions>();

const MOST_SHOWN = 5;
const findings = new Map<string, Finding[]>();

function note(finding: Finding): void {
  const key = `${finding.reader}: ${finding.what}`;
  const same = findings.get(key) ?? [];
  findings.set(key, [...same, finding]);
  if (same.length < MOST_SHOWN) process.stdout.write(`${key}: ${finding.detail.slice(0, 600)}\n`);
}

const searched = await supervise({
  search: { inputs, seed, limitMs: minutes * 60_000, names: only ?? [] },
  onFinding: note,
});
const seconds = Math.round((searched?.elapsedMs ?? 0) / 1_000);
const summary = [
  ...(searched === undefined
    ? [`The search ended early, seed ${seed}`]
    : [`${searched.inputs} inputs, ${searched.shapes} of them long, in ${seconds} s, seed ${seed}`]),
  ...Object.entries(searched?.byReader ?? {}).map(([name, count]) => `  ${name}: ${count}`),
  findings.size === 0 ? "Nothing was found" : "Found:",
  ...[...findings].map(([key, all]) => `  ${key}: ${all.length} times`),
];
process.stdout.write(`${summary.join("\n")}\n`);
process.exitCode = findings.size === 0 ? 0 : 1;
