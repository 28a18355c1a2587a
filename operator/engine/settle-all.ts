import { inOrder } from "./in-order.ts";

/** Maximum number of concurrent requests of one resource, of the 32 connections to the API server. */
export const atATime = 4;

/**
 * Processes all items, this many at a time, and returns the result of each of them, in their order. A failure does not
 * stop the others.
 *
 * A resource with hundreds of objects would otherwise have all connections to the API server, and all others would wait
 * for it.
 */
export function settleAll<Item, Result>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<Result>,
): Promise<PromiseSettledResult<Result>[]> {
  const settle = async (item: Item): Promise<PromiseSettledResult<Result>> => {
    const [outcome] = await Promise.allSettled([work(item)]);
    return outcome;
  };
  return inOrder(items, settle, { atATime: limit });
}
