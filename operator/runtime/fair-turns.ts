import { namespaceIn } from "../../crds/object.ts";

/** With fewer namespaces, those without a turn ahead are not searched for. */
const FEW = 1_000;

interface Level {
  /** Highest turn of a key that was given to a worker. */
  now: number;
  /** Number of namespaces at which those without a turn ahead are removed. */
  sweepAt: number;
  /** By namespace: the turn after that of its newest key. */
  readonly next: Map<string, number>;
}

/**
 * The order of keys of several namespaces, within a priority: start-time fair queueing (Goyal, Vin and Cheng, 1996)
 * with one unit of work per key. A namespace's own keys are in order of arrival, and a key of a namespace without
 * waiting keys follows at most one key of each other namespace, however many these have. A key that is raised to a
 * higher priority does not free its turn at the lower one.
 */
export class FairTurns {
  readonly #levels = new Map<number, Level>();

  /** The turn of a key that becomes ready. Lower turns come first; equal ones in order of arrival. */
  give(key: string, priority: number): number {
    const level = this.#levelOf(priority);
    // Keys of objects without a namespace count as one namespace.
    const namespace = namespaceIn(key);
    const turn = Math.max(level.now, level.next.get(namespace) ?? 0);
    level.next.set(namespace, turn + 1);
    return turn;
  }

  /** A key with this turn was given to a worker. */
  pass(turn: number, priority: number): void {
    const level = this.#levelOf(priority);
    // A worker may have held the key since its turn was assigned.
    level.now = Math.max(level.now, turn);
    if (level.next.size < level.sweepAt) return;
    for (const [namespace, next] of level.next) if (next <= level.now) level.next.delete(namespace);
    // The search through all of them takes a constant time per key, however many stay.
    level.sweepAt = Math.max(FEW, 2 * level.next.size);
  }

  #levelOf(priority: number): Level {
    const known = this.#levels.get(priority);
    if (known !== undefined) return known;
    const level = { now: 0, sweepAt: FEW, next: new Map() };
    this.#levels.set(priority, level);
    return level;
  }
}
