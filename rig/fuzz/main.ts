import { namesFlag, numberFlag, readFlags } from "../read-flags.ts";
import { type Finding, search } from "./search.ts";

const { values } = readFlags({
  command: "npm run test:fuzz --",
  description: "Searches for inputs that stop or crash a reader.",
  flags: {
    inputs: numberFlag("Number of inputs.", 1_000_000),
    seed: numberFlag("The seed of the inputs.", 20_261_122),
    minutes: numberFlag("Maximum duration in minutes.", 60),
    only: namesFlag("Names of readers. Default: all."),
  },
});

const MOST_SHOWN = 5;
const findings = new Map<string, Finding[]>();

function note(finding: Finding): void {
  const key = `${finding.reader}: ${finding.what}`;
  const same = findings.get(key) ?? [];
  findings.set(key, [...same, finding]);
  if (same.length < MOST_SHOWN) process.stdout.write(`${key}: ${finding.detail.slice(0, 600)}\n`);
}

const searched = await search({
  inputs: values.inputs,
  seed: values.seed,
  limitMs: values.minutes * 60_000,
  names: values.only?.filter((name) => name !== "") ?? [],
  onFinding: note,
});
const seconds = Math.round(searched.elapsedMs / 1_000);
const summary = [
  `${searched.inputs} inputs, ${searched.shapes} of them long, in ${seconds} s, seed ${values.seed}`,
  ...[...searched.byReader].map(([name, count]) => `  ${name}: ${count}`),
  findings.size === 0 ? "Nothing was found" : "Found:",
  ...[...findings].map(([key, all]) => `  ${key}: ${all.length} times`),
];
process.stdout.write(`${summary.join("\n")}\n`);
process.exitCode = findings.size === 0 ? 0 : 1;
