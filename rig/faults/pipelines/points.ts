import { type Chance, chanceFrom } from "../random.ts";

/** The stages, in order. Each has one Release with its name. */
export const stageNames = ["dev", "staging", "prod"] as const;
export type StageName = (typeof stageNames)[number];

/**
 * The actions of users: a push that changes all stages, one stage, or none; a push of the content before the last push; a request
 * that rolls prod back to its previous commit, and holds it until the request is deleted.
 */
export const acts = [
  "push all",
  "push staging",
  "push prod",
  "push nothing",
  "push a revert",
  "go back",
] as const;
export type Act = (typeof acts)[number];

/** A kill with SIGKILL: the actions before it, its time, and the actions before the operator is started again. */
export interface KillPoint {
  readonly number: number;
  readonly acts: readonly Act[];
  /** The number of the write of the kill, counted from the start of the actions. Undefined: after `afterMs`. */
  readonly atWrite: number | undefined;
  /** Whether the kill is before the write, so that the write does not reach the API server. Otherwise it is after the write. */
  readonly isBefore: boolean;
  readonly afterMs: number;
  readonly whileDown: readonly Act[];
}

/** Computes the points of a seed. Pure. */
export function makePoints(seed: number, count: number): readonly KillPoint[] {
  const chance = chanceFrom(seed);
  return Array.from({ length: count }, (_, index) => makePoint(chance, index + 1));
}

/** Number of writes of each action without a kill, counted by `record.ts`; for `push a revert`, after a push to all stages. */
const writesOf: Readonly<Record<Act, number>> = {
  "push all": 32,
  "push staging": 18,
  "push prod": 15,
  "push nothing": 7,
  "push a revert": 31,
  "go back": 20,
};

function makePoint(chance: Chance, number: number): KillPoint {
  const first = chance.pick(often);
  const point = {
    number,
    acts: chance.isHit(0.25) ? [first, chance.pick(often)] : [first],
    atWrite: chance.isHit(0.9) ? chance.between(1, writesOf[first]) : undefined,
    isBefore: chance.isHit(0.5),
    afterMs: chance.between(0, 6_000),
  };
  return { ...point, whileDown: chance.isHit(0.3) ? [chance.pick(often)] : [] };
}

const often = ["push all", "push all", "push all", ...acts] as const;

export function describePoint({
  number,
  acts: doing,
  atWrite,
  isBefore,
  afterMs,
  whileDown,
}: KillPoint): string {
  const when =
    atWrite === undefined ? `${afterMs} ms later` : `${isBefore ? "before" : "after"} write ${atWrite}`;
  const meanwhile = whileDown.join(", ") || "nothing";
  return `point ${number}: ${doing.join(", ")}; kill -9 ${when}; while it is down: ${meanwhile}`;
}
