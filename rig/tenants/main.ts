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
import { folderFlag, numberFlag, readFlags } from "../read-flags.ts";
import { type ActionsResult, describeAnswers, runActions } from "./run-actions.ts";

const { values } = readFlags({
  command: "npm run test:tenants --",
  description: "Searches with random actions of one tenant for effects on another.",
  flags: {
    actions: numberFlag("Total number of actions.", 10_000),
    seed: numberFlag("The first seed. Every run uses the next one.", 1),
    length: numberFlag("Actions of one run.", 500),
    lanes: numberFlag("Number of concurrent runs.", 2),
    out: folderFlag(
      "Folder for the actions and logs of runs with violations.",
      join(tmpdir(), "fairlead-tenants"),
    ),
  },
});

const { actions, seed: first, length, lanes } = values;
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
  const file = await keepLog(values.out, { seed, lines: [...violations, ...log] });
  print(`  log: ${file}; again: npm run test:tenants -- --seed ${seed} --actions ${length}`);
}
