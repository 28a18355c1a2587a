export interface InOrderOptions {
  /** Maximum number of items that are processed at the same time. Default 8. */
  readonly atATime?: number;
}

/**
 * Processes all items with limited concurrency, and returns the results in the order of the items. Rejects with the first
 * failure.
 */
export async function inOrder<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
  { atATime = 8 }: InOrderOptions = {},
): Promise<Result[]> {
  const results: Result[] = new Array(items.length);
  const waiting = items.entries();
  const lane = async (): Promise<void> => {
    for (const [index, item] of waiting) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(atATime, items.length) }, lane));
  return results;
}
