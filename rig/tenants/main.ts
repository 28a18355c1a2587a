import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { installSharedKinds } from "../../test/cluster/shared-kinds.ts";
import { keepLog, minutesSince, onCluster, playInLanes, print, stopSignal } from "../../test/stages.ts";
import { describeAnswers, type PlayedMoves, playMoves } from "./play.ts";

const { values } = parseArgs({
  options: {
    /** Total number of moves. */
    moves: { type: "string", default: "10000" },
    /** The first seed. Every stage uses the next one. */
    seed: { type: "string", default: "1" },
    /** Moves of one stage. */
    length: { type: "string", default: "500" },
    /** Stages at the same time. */
    lanes: { type: "string", default: "2" },
    /** Folder for the moves and logs of stages with violations. */
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
const signal = stopSignal();
const started = performance.now();
const played: PlayedMoves[] = [];
await onCluster("tenants", async (cluster) => {
  await installSharedKinds(cluster);
  await playInLanes(stages, {
    lanes,
    signal,
    play: async (stage) => {
      const onRound = (text: string): void => print(`seed ${stage.seed}: ${text}`);
      const result = await playMoves(cluster, { ...stage, onRound, signal });
      played.push(result);
      await report(result);
    },
  });
});
const violations = played.flatMap((one) => one.violations);
const done = played.reduce((sum, one) => sum + one.moves, 0);
const found = violations.length === 0 ? "no violation" : `${violations.length} VIOLATIONS`;
print(`\n${done} moves in ${minutesSince(started)}: ${found}`);
process.exit(violations.length === 0 && done === moves ? 0 : 1);

async function report(result: PlayedMoves): Promise<void> {
  const { seed, violations, story } = result;
  print(`seed ${seed}: ${describeAnswers(result)}`);
  if (violations.length === 0) return;
  print(violations.map((one) => `  ! ${one}`).join("\n"));
  const file = await keepLog(values.out, { seed, lines: [...violations, ...story] });
  print(`  log: ${file}; again: npm run test:tenants -- --seed ${seed} --moves ${length}`);
}
