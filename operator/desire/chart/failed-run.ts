import { describeFailure } from "../../engine/outcome.ts";
import { type ConvergedKind, unchanged } from "./converge-kind.ts";
import type { Loaded } from "./load.ts";

/** Composes the result of a reconcile that failed before its plan, so that the conditions contain the failure. Pure. */
export function failedRun({ resource }: Pick<Loaded, "resource">, error: unknown): ConvergedKind {
  const { name, namespace, generation } = resource.metadata;
  return {
    ...unchanged,
    outcome: describeFailure(error, `${resource.kind}/${name}`, { namespace }),
    ...{ error, generation },
  };
}
