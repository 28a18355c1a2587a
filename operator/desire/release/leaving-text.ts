import { describeObject, listNames } from "../../engine/outcome.ts";
import { ApiUnavailableError, ObjectRejectedError } from "../../errors.ts";
import type { Impersonation } from "../../ports.ts";
import type { Leaving } from "./finalize-release.ts";

const wayOut = "set spec.deletionPolicy to Orphan and the objects stay as they are";

/** What a Release that is being deleted waits for. */
export function describeLeaving({ decision, unseen, againAfterMs, lacksAccount }: Leaving): string {
  if (againAfterMs !== undefined)
    return "Waiting a moment for what the operator may have sent before it was restarted";
  if (unseen.length > 0)
    return `Cannot see all of its objects: ${listNames(unseen)}. Mend that, or ${wayOut}`;
  if (decision === undefined) return "Looking for its objects";
  const left = [...decision.leaving, ...decision.now, ...decision.later];
  const names = left.map(({ live }) => describeObject(live)).sort();
  if (lacksAccount)
    return (
      `Cannot delete ${listNames(names)}: this operator deletes objects only as a ServiceAccount, and the Release names ` +
      `none. Set spec.target.serviceAccountName, or ${wayOut}`
    );
  return `Waiting until ${listNames(names)} is gone`;
}

/** Why its objects cannot be deleted, and how to go on; undefined: it is only tried again. */
export function describeLeavingFailure(error: unknown, who: Impersonation | undefined): string | undefined {
  const isRefused = error instanceof ObjectRejectedError;
  const isForbidden = error instanceof ApiUnavailableError && (error.status === 403 || error.status === 401);
  if (!isRefused && !isForbidden) return undefined;
  const whose =
    who === undefined
      ? "Give the operator the rights for it"
      : `Give ServiceAccount ${who.namespace}/${who.serviceAccountName} the rights for it (again)`;
  return `${error.message}. ${whose}, or ${wayOut}`;
}
