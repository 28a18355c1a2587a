import { tmpdir } from "node:os";
import { join } from "node:path";
import { installSharedKinds } from "../../test/cluster/shared-kinds.ts";
import {
  keepLog,
  minutesSince,
  onCluster,
  print,
  runConcurrently,
  stopSignal,
} from "../../test/random-runs.ts";
import { parseCount, parseNumber, testProgram } from "../program-options.ts";
import { type ActionsResult, describeAnswers, runActions } from "./run-actions.ts";

interface TenantsOptions {
  readonly actions: number;
  readonly seed: number;
  readonly length: number;
  readonly lanes: number;
  readonly out: string;
}

const options = testProgram(
  "npm run test:tenants --",
  "Searches with random actions of one tenant for effects on another.",
)
  .option("--actions <n>", "total number of actions", parseCount, 10_000)
  .option("--seed <number>", "first seed; every run uses the next one", parseNumber, 1)
  .option("--length <n>", "actions of one run", parseCount, 500)
  .option("--lanes <n>", "number of concurrent runs", parseCount, 2)
  .option(
    "--out <folder>",
    "folder for the actions and logs of runs with violations",
    join(tmpdir(), "fairlead-tenants"),
  )
  .parse()
  .opts<TenantsOptions>();

const { actions, seed: first, length, lanes, out } = options;
const runs = Array.from({ length: Math.ceil(actions / length) }, (_, index) => ({
  seed: first + index,
  actions: Math.min(length, actions - index * length),
}));
const signal = stopSignal();
const started = performance.now();
const results: ActionsResult[] = [];
await onCluster("tenants", async (cluster) => {
  await installSharedKinds(cluster);
  await runConcurrently(runs, {
    lanes,
    signal,
    run: async (input) => {
      const onRound = (text: string): void => print(`seed ${input.seed}: ${text}`);
      const result = await runActions(cluster, { ...input, onRound, signal });
      results.push(result);
      await report(result);
    },
  });
});
const violations = results.flatMap((one) => one.violations);
const done = results.reduce((sum, one) => sum + one.actions, 0);
const found = violations.length === 0 ? "no violation" : `${violations.length} VIOLATIONS`;
print(`\n${done} actions in ${minutesSince(started)}: ${found}`);
process.exit(violations.length === 0 && done === actions ? 0 : 1);

async function report(result: ActionsResult): Promise<void> {
  const { seed, violations, log } = result;
  print(`seed ${seed}: ${describeAnswers(result)}`);
  if (violations.length === 0) return;
  print(violations.map((one) => `  ! ${one}`).join("\n"));
  const file = await keepLog(out, { seed, lines: [...violations, ...log] });
  print(`  log: ${file}; again: npm run test:tenants -- --seed ${seed} --actions ${length}`);
}
