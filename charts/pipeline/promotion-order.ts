import type { PromotionView, StartedPromotion } from "./promotions.ts";

/**
 * Sorts the Promotions that a Pipeline created for a stage, the oldest first: by number, because times may be equal or go back. If an
 * earlier name of the stage was declared after Promotions of the new name, each name has numbers of its own, and the times decide. Pure.
 */
export function inOrder(started: readonly StartedPromotion[]): readonly StartedPromotion[] {
  const byNumber = started.toSorted(
    (a, b) => numberOf(a) - numberOf(b) || compare(a.createdAt, b.createdAt) || compare(a.name, b.name),
  );
  const latest = new Map<string, string>();
  const timed = byNumber.map((one) => {
    const { stage } = one.spec;
    const before = latest.get(stage) ?? "";
    const at = one.createdAt > before ? one.createdAt : before;
    latest.set(stage, at);
    return { one, at };
  });
  if (latest.size < 2) return byNumber;
  return timed.toSorted((a, b) => compare(a.at, b.at)).map(({ one }) => one);
}

/** The number of a Promotion that its Pipeline created; 0: a user's request. Pure. */
export function numberOf({ spec }: PromotionView): number {
  return spec.number ?? 0;
}

/** Compares two texts by their code units. Pure. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
