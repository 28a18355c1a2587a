import { type CustomResource, keyOf } from "../../crds/object.ts";
import { type ObjectAction, resultOfFailure } from "./apply-result.ts";
import type { ApplyStep } from "./decide-object.ts";
import type { Refusals } from "./refusals.ts";

export interface AttemptOptions {
  /** The resource, and the id of its set of objects. */
  readonly loaded: { readonly resource: CustomResource; readonly set: string };
  readonly refusals: Refusals;
  /** Called with an action and its number of objects, for metrics. */
  readonly count: (did: ObjectAction, objects: number) => void;
}

/**
 * Sends one step, unless the same step was rejected a short time ago. Stores a rejection, and counts a failure.
 *
 * @throws The error of `send`, or the stored rejection.
 */
export async function attempt<Result>(
  step: ApplyStep,
  { loaded: { resource }, refusals, count }: AttemptOptions,
  send: () => Promise<Result>,
): Promise<Result> {
  const key = keyOf(resource);
  const refusal = refusals.find(key, step, resource);
  if (refusal !== undefined) throw refusal;
  try {
    return await send();
  } catch (error) {
    refusals.remember(key, step, resource, error);
    const result = resultOfFailure(error);
    if (result !== undefined) count(result, 1);
    throw error;
  }
}
