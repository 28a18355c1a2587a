import { type AuditLine, callOf } from "../releases/audited-calls.ts";

/** One request of the audit log. */
export interface AuditedRequest {
  /** `patch releases/status`. */
  readonly does: string;
  readonly user: string;
  readonly name: string;
  readonly isDryRun: boolean;
  /** When the API server received it, in milliseconds since 1970. */
  readonly atMs: number;
}

/** Parses the requests in lines of the log, without watches and Leases. Pure. */
export function readRequests(lines: readonly string[]): readonly AuditedRequest[] {
  return lines.flatMap((line) => {
    if (line === "") return [];
    const request = JSON.parse(line) as AuditLine;
    const does = callOf(request);
    if (does === undefined) return [];
    return [
      {
        does,
        user: request.user.username,
        name: request.objectRef?.name ?? "",
        isDryRun: request.requestURI.includes("dryRun=All"),
        atMs: Date.parse(request.requestReceivedTimestamp),
      },
    ];
  });
}

/** Counts the operator's requests by verb and resource. Pure. */
export function countRequests(requests: readonly AuditedRequest[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { does, user, isDryRun } of requests) {
    if (user !== "operator") continue;
    const name = isDryRun ? `${does} (dry run)` : does;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

/** Times in a promotion, in milliseconds since the change that opened its last gate. */
export interface PromotionTimes {
  readonly createdMs: number | undefined;
  readonly pinMs: number | undefined;
  /** The first write of an object that the stage deploys. */
  readonly firstWriteMs: number | undefined;
  readonly requests: readonly AuditedRequest[];
}

/**
 * Computes the times after an Approval from the log. Pure.
 *
 * @param of Names of the Approval, of the stage's Release, and of its objects.
 */
export function timesAfterApproval(
  requests: readonly AuditedRequest[],
  of: { readonly approval: string; readonly release: string },
): PromotionTimes | undefined {
  const inOrder = requests.toSorted((a, b) => a.atMs - b.atMs);
  const opened = inOrder.find(({ does, name }) => does.endsWith(" approvals") && name === of.approval);
  if (opened === undefined) return undefined;
  const later = inOrder.filter(({ user, atMs }) => user === "operator" && atMs >= opened.atMs);
  const afterMs = (found: AuditedRequest | undefined) => found && found.atMs - opened.atMs;
  const isOfStage = ({ name }: AuditedRequest): boolean => name === of.release;
  return {
    createdMs: afterMs(later.find(({ does }) => does === "patch promotions")),
    pinMs: afterMs(later.find((one) => one.does === "patch releases" && isOfStage(one))),
    firstWriteMs: afterMs(
      later.find((one) => !one.isDryRun && one.does === "patch deployments" && isOfStage(one)),
    ),
    requests: later,
  };
}
