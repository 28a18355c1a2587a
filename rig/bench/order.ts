/** One run of one contestant. */
export interface Turn<Name> {
  /** From 1. */
  readonly round: number;
  readonly contestant: Name;
}

/**
 * The order of the cells: ours, Go, Go, ours, ours, Go, … Every other round is turned around, so that what changes slowly on
 * the machine meets all contestants alike. Pure.
 */
export function orderRounds<Name>(contestants: readonly Name[], rounds: number): Turn<Name>[] {
  return Array.from({ length: rounds }, (_, index) =>
    (index % 2 === 0 ? contestants : contestants.toReversed()).map((contestant) => ({
      round: index + 1,
      contestant,
    })),
  ).flat();
}
