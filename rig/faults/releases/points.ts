import { type Chance, chanceFrom } from "../random.ts";

export const releaseNames = ["ash", "birch", "cedar", "elm", "fir"] as const;
export type ReleaseName = (typeof releaseNames)[number];

export const objectKinds = [
  ...(["ConfigMap", "Deployment", "LimitRange", "NetworkPolicy", "PodTemplate"] as const),
  ...(["Role", "Service", "ServiceAccount", "Stamp"] as const),
] as const;
export type DeployedKind = (typeof objectKinds)[number];

/** An object in a Release's folder. */
export interface DeployedObject {
  readonly kind: DeployedKind;
  readonly name: string;
  /** Whether it is in the other namespace, where owner references do not work, and not in the Release's own. */
  readonly isElsewhere: boolean;
}

/** An action on one Release: a push to its folder, or a change of the Release. A missing one is created, regardless of the action. */
export interface Action {
  readonly does: "fill" | "edit" | "prune" | "replace" | "delete" | "recreate";
  readonly release: ReleaseName;
  /** Chooses the objects. */
  readonly choice: number;
}

/** A kill with SIGKILL: the actions before it, its time, and the actions before the operator is started again. */
export interface KillPoint {
  readonly number: number;
  readonly actions: readonly Action[];
  /** The number of the write of the kill, from the start of the actions. The API server executes it. Undefined: after `afterMs`. */
  readonly atWrite: number | undefined;
  readonly afterMs: number;
  readonly whileDown: readonly Action[];
}

/** Computes the points of a seed. Pure. */
export function makePoints(seed: number, count: number): readonly KillPoint[] {
  const chance = chanceFrom(seed);
  return Array.from({ length: count }, (_, index) => makePoint(chance, index + 1));
}

function makePoint(chance: Chance, number: number): KillPoint {
  const actions = Array.from({ length: chance.between(1, 3) }, () => makeAction(chance, acts));
  const isByWrite = chance.isHit(0.8);
  const point = {
    number,
    actions,
    // A set has about 4 objects, and needs two or three more writes. Of an existing set, only a part is written.
    atWrite: isByWrite ? chance.between(1, 5 * actions.length) : undefined,
    afterMs: chance.between(0, 1_500),
  };
  // Mostly choose the same Release, because its unfinished work is the interesting case.
  const whileDown = Array.from({ length: chance.isHit(0.7) ? chance.between(1, 2) : 0 }, () => {
    const later = makeAction(chance, actsWhileDown);
    const same = chance.pick(actions).release;
    return chance.isHit(0.8) ? { ...later, release: same } : later;
  });
  return { ...point, whileDown };
}

const acts = ["fill", "fill", "edit", "edit", "prune", "prune", "replace", "delete", "recreate"] as const;
const actsWhileDown = [
  "fill",
  "edit",
  "prune",
  "replace",
  "replace",
  "delete",
  "delete",
  "recreate",
] as const;

function makeAction(chance: Chance, from: readonly Action["does"][]): Action {
  return { does: chance.pick(from), release: chance.pick(releaseNames), choice: chance.between(0, 2 ** 30) };
}

/** A new set of objects for a Release, with names that no other Release uses. Pure. */
export function makeObjects(release: ReleaseName, choice: number): readonly DeployedObject[] {
  const chance = chanceFrom(choice);
  // Use few kinds at a time, so that there are kinds of only one Release, which are not watched after a restart.
  const kinds = [chance.pick(objectKinds), chance.pick(objectKinds)];
  return Array.from({ length: chance.between(3, 6) }, (_, index) => {
    const kind = chance.pick(kinds);
    // Reuse names: a commit may restore an object that the one before removed.
    const name = `${release}-${kind.toLowerCase()}-${index}-${chance.between(0, 1)}`;
    return { kind, name, isElsewhere: kind !== "Stamp" && chance.isHit(0.3) };
  });
}

export function describePoint({ number, actions, atWrite, afterMs, whileDown }: KillPoint): string {
  const text = (list: readonly Action[]): string =>
    list.map(({ does, release, choice }) => `${does} ${release} (${choice})`).join(", ") || "nothing";
  const when = atWrite === undefined ? `${afterMs} ms later` : `with write ${atWrite}`;
  return `point ${number}: ${text(actions)}; kill -9 ${when}; while it is down: ${text(whileDown)}`;
}
