import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { installSharedKinds } from "../../test/cluster/shared-kinds.ts";
import {
  keepLog,
  minutesSince,
  onCluster,
  print,
  runConcurrently,
  stopSignal,
} from "../../test/random-runs.ts";
import { type ActionsResult, describeAnswers, runActions } from "./run-actions.ts";

const { values } = parseArgs({
  options: {
    /** Total number of actions. */
    actions: { type: "string", default: "10000" },
    /** The first seed. Every run uses the next one. */
    seed: { type: "string", default: "1" },
    /** Actions of one run. */
    length: { type: "string", default: "500" },
    /** Number of concurrent runs. */
    lanes: { type: "string", default: "2" },
    /** Folder for the actions and logs of runs with violations. */
    out: { type: "string", default: join(tmpdir(), "fairlead-tenants") },
  },
});

const [actions, first, length, lanes] = [values.actions, values.seed, values.length, values.lanes].map(
  Number,
) as [number, number, number, number];
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
