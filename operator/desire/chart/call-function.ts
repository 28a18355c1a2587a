import type { BoundKind } from "../../../crds/binding.ts";
import { SpecInvalidError } from "../../errors.ts";

/**
 * Calls a function of a kind that describes its resource. It is called after the objects were applied, so its error is
 * returned as a value, for the conditions.
 */
export function callFunction<Result>(
  name: "status" | "verdict",
  { definition }: Pick<BoundKind, "definition">,
  call: () => Result,
): Result | SpecInvalidError {
  try {
    return call();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return new SpecInvalidError(`${name}() of ${definition.kind} threw: ${why}`, { cause: error });
  }
}
