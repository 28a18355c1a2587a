import type { Verdict } from "../../../crds/kind-context.ts";
import { describeObject } from "../outcome.ts";
import type { Health } from "./health.ts";

/** The health of a resource whose kind assesses it. Pure. */
export function healthOf({ status, message, object }: Verdict): Health {
  const prefix = object === undefined ? "" : `${describeObject(object)}: `;
  return { status, reason: status, message: `${prefix}${message}` };
}
