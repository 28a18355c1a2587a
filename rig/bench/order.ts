/** One run of one contestant. */
export interface Turn<Name> {
  /** Number of the round, from 1. */
  readonly round: number;
  readonly contestant: Name;
}

/**
 * The order of the cells: ours, Go, Go, ours, ours, Go, … Every other round is reversed, so that slow changes of the machine
 * affect all contestants equally. Pure.
 */
export function orderRounds<Name>(contestants: readonly Name[], rounds: number): Turn<Name>[] {
  return Array.from({ length: rounds }, (_, index) =>
    (index % 2 === 0 ? contestants : contestants.toReversed()).map((contestant) => ({
      round: index + 1,
      contestant,
    })),
  ).flat();
}
