import type { EventType } from "../engine/transitions.ts";
import type { EventRecorder } from "../ports.ts";
import type { Election } from "../runtime/election.ts";

/** An event about the operator itself, for users. */
export type AnnounceOperator = (event: {
  readonly type: EventType;
  readonly reason: string;
  readonly action: string;
  readonly note: string;
}) => void;

export interface OperatorEventsInput {
  readonly events: EventRecorder;
  readonly election: Pick<Election, "term">;
  /** Namespace and name. */
  readonly lease: readonly [namespace: string, name: string];
  /** Watched namespaces, the only ones in which events may be written; empty: all. */
  readonly namespaces: readonly string[];
}

/**
 * Records events about the operator on its Lease, the only object that all instances share. Without a Lease, or if
 * events may not be written in its namespace, there are only the log and the metrics.
 */
export function createOperatorEvents(input: OperatorEventsInput): AnnounceOperator {
  const { events, election, namespaces } = input;
  const [namespace, name] = input.lease;
  return (event) => {
    const uid = election.term?.leaseUid;
    if (uid === undefined || (namespaces.length > 0 && !namespaces.includes(namespace))) return;
    const metadata = { namespace, name, uid, resourceVersion: "" };
    events.record({ apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, ours: false }, event);
  };
}
