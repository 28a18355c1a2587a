import { parseArgs } from "node:util";
import { type Finding, search } from "./search.ts";

const { values } = parseArgs({
  options: {
    inputs: { type: "string", default: "1000000" },
    seed: { type: "string", default: "20261122" },
    /** Maximum duration in minutes. */
    minutes: { type: "string", default: "60" },
    /** Comma-separated names of readers. Default: all. */
    only: { type: "string", default: "" },
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
  inputs: Number(values.inputs),
  seed: Number(values.seed),
  limitMs: Number(values.minutes) * 60_000,
  names: values.only.split(",").filter((name) => name !== ""),
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
