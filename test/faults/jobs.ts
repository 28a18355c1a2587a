import type { AuditedRequest } from "./audit-tail.ts";

export interface JobReasons {
  /** Edits and deletions by the user, by the name of the Job. */
  readonly causes: ReadonlyMap<string, number>;
  /** So often somebody took the Lease away by force: until the old leader looks, two lead, and each may make it. */
  readonly handovers: number;
}

/** Echoes whose Job was made more often than there was a reason to run it. Pure. */
export function findDoubledJobs(
  audited: readonly AuditedRequest[],
  { causes, handovers }: JobReasons,
): readonly string[] {
  const reasonsFor = (name: string): number => (causes.get(name) ?? 0) + handovers;
  const made = audited.filter(
    ({ objectRef, responseStatus, user }) =>
      objectRef?.resource === "jobs" &&
      objectRef.subresource === undefined &&
      responseStatus?.code === 201 &&
      user.username === "operator",
  );
  return [...Map.groupBy(made, ({ objectRef }) => objectRef?.name ?? "")]
    .filter(([name, events]) => events.length > reasonsFor(name))
    .map(([name, events]) => `Job ${name} was made ${events.length} times for ${reasonsFor(name)} reasons`);
}
