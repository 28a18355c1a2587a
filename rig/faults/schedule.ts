import { clusterFaults, type FaultType, gitFaults, processFaults, wireFaults } from "./fault-types.ts";
import { type Chance, chanceFrom } from "./random.ts";

export const editedKinds = ["Echo", "ScheduledEcho", "EasyService", "PodSet", "Stamp"] as const;
export type EditedKind = (typeof editedKinds)[number];

/** An edit by a user. `version` increases with every edit of a schedule, and is written into the object. */
export interface Edit {
  readonly atMs: number;
  readonly does: "apply" | "delete" | "delete-child" | "edit-child";
  readonly kind: EditedKind;
  readonly name: string;
  readonly version: number;
  /** Number of copies or replicas; for a Service: of ports. */
  readonly size: number;
}

export interface Fault {
  readonly atMs: number;
  readonly forMs: number;
  readonly type: FaultType;
  /** The affected operator. A process fault for `both` affects the leader. */
  readonly target: 0 | 1 | "both";
  /** For faults of the connection: the affected requests. */
  readonly traffic: "all" | "lease" | "watches" | "objects";
  /** Share of these requests that are affected. */
  readonly share: number;
  /** See the descriptions of the types. */
  readonly amount: number;
}

/** The events of one schedule. All of them depend only on the seed. */
export interface Schedule {
  readonly seed: number;
  /** The protocol of the proxy; watches use HTTP/2 if possible. */
  readonly protocol: "h2" | "http/1.1";
  /** `warm`: one of the operators leads at the start of the schedule. `cold`: the operators are being started. */
  readonly start: "warm" | "cold";
  readonly edits: readonly Edit[];
  readonly faults: readonly Fault[];
  /** When all faults end. */
  readonly endMs: number;
}

export interface ScheduleOptions {
  /** The possible types. */
  readonly types?: readonly FaultType[];
}

export const localFaults = [
  ...Object.keys(wireFaults),
  ...Object.keys(processFaults),
  ...Object.keys(gitFaults),
] as readonly FaultType[];
const everyFault = [...localFaults, ...(Object.keys(clusterFaults) as FaultType[])];

/** Share of schedules that restart a part of the cluster. */
const clusterShare = 1 / 8;

/** Computes the schedule of a seed. Without some types, their faults are removed, and nothing else changes. Pure. */
export function makeSchedule(seed: number, { types = everyFault }: ScheduleOptions = {}): Schedule {
  const chance = chanceFrom(seed);
  const protocol = chance.isHit(0.75) ? "h2" : "http/1.1";
  const start = chance.isHit(0.8) ? "warm" : "cold";
  const endMs = chance.between(2_200, 4_500);
  const edits = makeEdits(chance, endMs);
  const faults = Array.from({ length: chance.between(3, 7) }, () =>
    makeFault(chance, endMs, chance.pick(localFaults)),
  );
  if (chance.isHit(clusterShare))
    faults.push(makeFault(chance, endMs, chance.pick(Object.keys(clusterFaults) as FaultType[])));
  const inOrder = faults.filter(({ type }) => types.includes(type)).toSorted((a, b) => a.atMs - b.atMs);
  return { seed, protocol, start, edits, faults: inOrder, endMs };
}

function makeFault(chance: Chance, endMs: number, type: FaultType): Fault {
  const atMs = chance.between(0, endMs - 500);
  return {
    atMs,
    forMs: chance.between(200, Math.max(300, endMs - atMs)),
    type,
    target: chance.pick([0, 1, "both", "both"]),
    traffic: chance.pick(["all", "all", "lease", "watches", "objects"]),
    share: chance.pick([0.3, 0.6, 1]),
    amount: chance.next(),
  };
}

const sizes: Readonly<Record<EditedKind, number>> = {
  Echo: 0,
  ScheduledEcho: 0,
  EasyService: 1,
  PodSet: 2,
  Stamp: 3,
};

function makeEdits(chance: Chance, endMs: number): readonly Edit[] {
  const edits: Edit[] = [];
  // Use four digits, so that the number differs from API versions.
  let version = 1_000;
  const edit = (does: Edit["does"], atMs: number, kind: EditedKind, name: string): void => {
    version += 1;
    edits.push({ atMs, does, kind, name, version, size: chance.between(0, sizes[kind]) });
  };
  const nameOf = (kind: EditedKind): string =>
    `${kind.toLowerCase()}-${chance.between(0, kind === "Stamp" ? 4 : 1)}`;
  for (const kind of editedKinds) edit("apply", 0, kind, nameOf(kind));
  const later = chance.between(10, 18);
  const times = Array.from({ length: later }, () => chance.between(100, endMs)).toSorted((a, b) => a - b);
  for (const atMs of times) {
    const kind = chance.isHit(0.4) ? "Stamp" : chance.pick(editedKinds);
    const does = chance.pick([
      "apply",
      "apply",
      "apply",
      "apply",
      "delete",
      "delete-child",
      "edit-child",
    ] as const);
    edit(does, atMs, kind, nameOf(kind));
  }
  return edits;
}
