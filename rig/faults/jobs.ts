import type { AuditedRequest } from "./audit-tail.ts";

/** Echoes whose Job was created more often than there was a reason to run it. Pure. */
export function findDoubledJobs(
  audited: readonly AuditedRequest[],
  causes: ReadonlyMap<string, number>,
): readonly string[] {
  const made = audited.filter(
    ({ objectRef, responseStatus, user }) =>
      objectRef?.resource === "jobs" &&
      objectRef.subresource === undefined &&
      responseStatus?.code === 201 &&
      user.username === "operator",
  );
  return [...Map.groupBy(made, ({ objectRef }) => objectRef?.name ?? "")]
    .filter(([name, events]) => events.length > (causes.get(name) ?? 0))
    .map(
      ([name, events]) =>
        `Job ${name} was created ${events.length} times for ${causes.get(name) ?? 0} reasons`,
    );
}
