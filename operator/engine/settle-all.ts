import { inOrder } from "./in-order.ts";

/** Requests of one resource at the same time, of the 32 connections to the API server. */
export const atATime = 4;

/**
 * Works on all items, so many at a time, and gives how each of them ended, in their order. One that fails stops no other.
 *
 * A resource with hundreds of objects would otherwise have all connections to the API server, and everybody else would
 * wait behind it.
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
