/** Namespaces that are remembered before those are forgotten that have nothing ahead. */
const MANY = 1_000;

interface Level {
  /** Turn of the key that was handed out last. */
  now: number;
  /** By namespace: the turn after that of its newest key. */
  readonly next: Map<string, number>;
}

/**
 * The order in which keys of several namespaces come, within a priority: start-time fair queueing (Goyal, Vin and Cheng, 1996) with
 * one unit of work per key. A namespace's own keys come in order of arrival, and a key of a namespace that has nothing
 * waiting comes after at most one key of each other namespace, however many these have.
 */
export class FairTurns {
  readonly #levels = new Map<number, Level>();

  /** The turn of a key that becomes ready. Lower turns come first; equal ones in order of arrival. */
  give(key: string, priority: number): number {
    const level = this.#levelOf(priority);
    const namespace = namespaceOf(key);
    const turn = Math.max(level.now, level.next.get(namespace) ?? 0);
    level.next.set(namespace, turn + 1);
    return turn;
  }

  /** A key with this turn was handed out. */
  pass(turn: number, priority: number): void {
    const level = this.#levelOf(priority);
    level.now = turn;
    if (level.next.size <= MANY) return;
    for (const [namespace, next] of level.next) if (next <= turn) level.next.delete(namespace);
  }

  #levelOf(priority: number): Level {
    const known = this.#levels.get(priority);
    if (known !== undefined) return known;
    const level = { now: 0, next: new Map() };
    this.#levels.set(priority, level);
    return level;
  }
}

/** Keys of objects without a namespace count as one. */
function namespaceOf(key: string): string {
  return key.slice(0, Math.max(0, key.indexOf("/")));
}
