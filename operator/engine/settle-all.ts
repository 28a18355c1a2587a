import { inOrder } from "./in-order.ts";

/** Maximum number of concurrent requests of one resource. All resources share 32 connections to the API server. */
export const atATime = 4;

/**
 * Processes all items with limited concurrency, and returns their results in the order of the items. A failure does not stop
 * the other items.
 *
 * Without the limit, a resource with hundreds of objects would use all connections to the API server, and all other
 * resources would wait.
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
