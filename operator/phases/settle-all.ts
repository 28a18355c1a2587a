/** Requests of one resource at the same time, of the 32 connections to the API server. */
export const atATime = 4;

/**
 * Works on all items, so many at a time, and gives how each of them ended, in their order. One that fails stops no other.
 *
 * A resource with hundreds of objects would otherwise have all connections to the API server, and everybody else would
 * wait behind it.
 */
export async function settleAll<Item, Result>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<Result>,
): Promise<PromiseSettledResult<Result>[]> {
  const outcomes: PromiseSettledResult<Result>[] = new Array(items.length);
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++;
      const [outcome] = await Promise.allSettled([work(items[index] as Item)]);
      outcomes[index] = outcome;
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane));
  return outcomes;
}
