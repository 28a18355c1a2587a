import type { AuditedRequest } from "../audit-tail.ts";

/** A change that the API server made, in the order of the requests for it. */
export interface AcceptedWrite {
  /** When its request arrived, RFC 3339 with microseconds. */
  readonly at: string;
  readonly isByOperator: boolean;
  /** `promotions`, `promotions/status`. */
  readonly resource: string;
  readonly name: string;
  readonly isCreation: boolean;
  /** The body that the operator sent. */
  readonly body: unknown;
}

const reads: ReadonlySet<string> = new Set(["get", "list", "watch"]);

/** The changes among the requests of an audit log. Pure. */
export function readAcceptedWrites(
  audited: readonly AuditedRequest[],
  bodies: ReadonlyMap<string, string>,
): readonly AcceptedWrite[] {
  return audited
    .filter(
      ({ verb, requestURI, responseStatus }) =>
        !reads.has(verb) && !requestURI.includes("dryRun=All") && (responseStatus?.code ?? 500) < 300,
    )
    .toSorted((a, b) => (a.requestReceivedTimestamp < b.requestReceivedTimestamp ? -1 : 1))
    .map(({ auditID, requestReceivedTimestamp, objectRef = {}, responseStatus, user }) => {
      const { resource = "", subresource, name = "" } = objectRef;
      const body = bodies.get(auditID);
      return {
        at: requestReceivedTimestamp,
        isByOperator: user.username === "operator",
        resource: subresource === undefined ? resource : `${resource}/${subresource}`,
        name,
        isCreation: responseStatus?.code === 201,
        body: body === undefined || body === "" ? undefined : (JSON.parse(body) as unknown),
      };
    });
}
