/** One run of one implementation. */
export interface Turn<Name> {
  /** Number of the round, from 1. */
  readonly round: number;
  readonly implementation: Name;
}

/**
 * The order of the cells: ours, Go, Go, ours, ours, Go, … Every other round is reversed, so that slow changes of the machine
 * affect all implementations equally. Pure.
 */
export function orderRounds<Name>(implementations: readonly Name[], rounds: number): Turn<Name>[] {
  return Array.from({ length: rounds }, (_, index) =>
    (index % 2 === 0 ? implementations : implementations.toReversed()).map((implementation) => ({
      round: index + 1,
      implementation,
    })),
  ).flat();
}
