import { instantMs } from "../../crds/kind-context.ts";
import type { PromotionSpec } from "../../crds/promotion.ts";
import type { PromotionView } from "./promotions.ts";

type StartedRequest = NonNullable<PromotionSpec["request"]>;

/**
 * Creation times have whole seconds, and API servers have different clocks. So the Pipeline records which requests it knew when it
 * started one, except those that are older by more than this.
 */
const toleranceMs = 60_000;

/**
 * Whether a request is the one that a Promotion was created for, or is older. A request that the Pipeline did not know then is newer.
 * Pure.
 */
export function isReplacedBy(request: PromotionView, { uid, at, replaces }: StartedRequest): boolean {
  if (request.uid === uid) return true;
  // A Promotion of an earlier version of the operator does not record it.
  if (replaces === undefined) return request.createdAt < at;
  return replaces.includes(request.uid) || isMuchOlder(request, at);
}

/** The request that a Promotion is created for, and those that it replaces. Pure. */
export function startedRequest(
  { name, uid, createdAt: at }: PromotionView,
  known: readonly PromotionView[],
): StartedRequest {
  const replaces = known.filter((one) => one.uid !== uid && !isMuchOlder(one, at)).map((one) => one.uid);
  return { name, uid, at, replaces };
}

function isMuchOlder({ createdAt }: PromotionView, at: string): boolean {
  return instantMs(createdAt) < instantMs(at) - toleranceMs;
}
