import { describeObject, listNames } from "../../engine/outcome.ts";
import { ApiUnavailableError, ObjectRejectedError } from "../../errors.ts";
import type { Impersonation } from "../../ports.ts";
import type { Leaving } from "./finalize-release.ts";

const orphanHint = "set spec.deletionPolicy to Orphan to leave the objects in the cluster";

/** Message about the objects for which a deleted Release waits. */
export function describeLeaving({ decision, unseen, againAfterMs, lacksAccount }: Leaving): string {
  if (againAfterMs !== undefined)
    return "Waiting for requests without a response, which may still create objects";
  if (unseen.length > 0)
    return `Cannot read all of its objects: ${listNames(unseen)}. Fix that, or ${orphanHint}`;
  if (decision === undefined) return "Listing its objects";
  const left = [...decision.leaving, ...decision.now, ...decision.later];
  const names = left.map(({ live }) => describeObject(live)).sort();
  if (lacksAccount)
    return (
      `Cannot delete ${listNames(names)}: this operator deletes objects only as a ServiceAccount, and the Release names ` +
      `none. Set spec.target.serviceAccountName, or ${orphanHint}`
    );
  return `Waiting for ${listNames(names)} to be deleted`;
}

/** Why its objects cannot be deleted, with instructions; undefined: the deletion is retried. */
export function describeLeavingFailure(error: unknown, who: Impersonation | undefined): string | undefined {
  const isRefused = error instanceof ObjectRejectedError;
  const isForbidden = error instanceof ApiUnavailableError && (error.status === 403 || error.status === 401);
  if (!isRefused && !isForbidden) return undefined;
  const whose =
    who === undefined
      ? "Grant the operator the rights for it"
      : `Grant ServiceAccount ${who.namespace}/${who.serviceAccountName} the rights for it (again)`;
  return `${error.message}. ${whose}, or ${orphanHint}`;
}
