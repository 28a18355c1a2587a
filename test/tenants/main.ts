import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startLocalCluster } from "../../cli/local-cluster/local-cluster.ts";
import { installSharedKinds } from "../cluster/shared-kinds.ts";
import { describeAnswers, type PlayedMoves, playMoves } from "./play.ts";

const { values } = parseArgs({
  options: {
    /** Moves in all. */
    moves: { type: "string", default: "10000" },
    /** The first seed; every stage takes the next one. */
    seed: { type: "string", default: "1" },
    /** Moves of one stage. */
    length: { type: "string", default: "500" },
    /** Stages at the same time. */
    lanes: { type: "string", default: "2" },
    /** Folder for the moves and logs of what went wrong. */
    out: { type: "string", default: join(tmpdir(), "fairlead-tenants") },
  },
});

const [moves, first, length, lanes] = [values.moves, values.seed, values.length, values.lanes].map(
  Number,
) as [number, number, number, number];
const stages = Array.from({ length: Math.ceil(moves / length) }, (_, index) => ({
  seed: first + index,
  moves: Math.min(length, moves - index * length),
}));
const stop = new AbortController();
// The first one lets what is under way come to its end.
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.on(signal, () => {
    if (stop.signal.aborted) process.exit(1);
    stop.abort();
    print("Stopping; once more to end at once");
  });

const started = performance.now();
const played: PlayedMoves[] = [];
const cluster = await startLocalCluster({ name: "tenants", fsync: false, report: print });
try {
  const { kubeconfigPath, operatorKubeconfigPath, auditLogPath, kubectlPath = "kubectl" } = cluster;
  const testCluster = { kubeconfigPath, operatorKubeconfigPath, auditLogPath, kubectlPath };
  await installSharedKinds(testCluster);
  const waiting = [...stages];
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined && !stop.signal.aborted; next = waiting.shift()) {
      const { seed } = next;
      const onRound = (text: string): void => print(`seed ${seed}: ${text}`);
      const result = await playMoves(testCluster, { ...next, onRound, signal: stop.signal });
      played.push(result);
      await report(result);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
} finally {
  await cluster.stop();
}
const violations = played.flatMap((one) => one.violations);
const done = played.reduce((sum, one) => sum + one.moves, 0);
const minutes = ((performance.now() - started) / 60_000).toFixed(1);
print(
  `\n${done} moves in ${minutes} min: ${violations.length === 0 ? "no violation" : `${violations.length} VIOLATIONS`}`,
);
process.exit(violations.length === 0 && done === moves ? 0 : 1);

async function report(result: PlayedMoves): Promise<void> {
  const { seed, violations: found, story } = result;
  print(`seed ${seed}: ${describeAnswers(result)}`);
  if (found.length === 0) return;
  print(found.map((one) => `  ! ${one}`).join("\n"));
  await mkdir(values.out, { recursive: true });
  const file = join(values.out, `seed-${seed}.log`);
  await writeFile(file, [...found, ...story].join("\n"));
  print(`  log: ${file}; again: npm run test:tenants -- --seed ${seed} --moves ${length}`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
