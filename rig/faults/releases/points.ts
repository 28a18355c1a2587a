import { type Chance, chanceFrom } from "../random.ts";

export const releaseNames = ["ash", "birch", "cedar", "elm", "fir"] as const;
export type ReleaseName = (typeof releaseNames)[number];

export const objectKinds = [
  ...(["ConfigMap", "Deployment", "LimitRange", "NetworkPolicy", "PodTemplate"] as const),
  ...(["Role", "Service", "ServiceAccount", "Stamp"] as const),
] as const;
export type DeployedKind = (typeof objectKinds)[number];

/** One object that a Release's folder has. */
export interface DeployedObject {
  readonly kind: DeployedKind;
  readonly name: string;
  /** The Release's own namespace, or the other one, where no owner reference could reach. */
  readonly isElsewhere: boolean;
}

/** An action on one Release: on its folder by a push, or on itself. A missing one is created, whatever the action is. */
export interface Action {
  readonly does: "fill" | "edit" | "prune" | "replace" | "delete" | "recreate";
  readonly release: ReleaseName;
  /** Chooses the objects. */
  readonly choice: number;
}

/** One kill -9: what is under way, when it comes, and what happens before the operator is there again. */
export interface KillPoint {
  readonly number: number;
  readonly actions: readonly Action[];
  /** With this write, counted from the actions on; the API server still does it. Undefined: after `afterMs`. */
  readonly atWrite: number | undefined;
  readonly afterMs: number;
  readonly whileDown: readonly Action[];
}

/** Makes the points of a seed. Pure. */
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
    // A set is some 4 objects, and two or three writes beside them; of what is there already only a part is written.
    atWrite: isByWrite ? chance.between(1, 5 * actions.length) : undefined,
    afterMs: chance.between(0, 1_500),
  };
  // Mostly the same Release is meant: what was half done is what must not be forgotten.
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

/** A new set of objects for a Release, whose names are its own. Pure. */
export function makeObjects(release: ReleaseName, choice: number): readonly DeployedObject[] {
  const chance = chanceFrom(choice);
  // Few kinds at a time: one that no other Release has is not watched after a restart.
  const kinds = [chance.pick(objectKinds), chance.pick(objectKinds)];
  return Array.from({ length: chance.between(3, 6) }, (_, index) => {
    const kind = chance.pick(kinds);
    // Names come back: what one commit drops the next may have again.
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
