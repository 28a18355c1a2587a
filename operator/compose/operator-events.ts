import type { EventType } from "../engine/transitions.ts";
import type { EventRecorder } from "../ports.ts";
import type { Election } from "../runtime/election.ts";

/** Something about the operator itself that a person should know. */
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
  /** Namespaces that are watched, where alone we may write events; empty: all. */
  readonly namespaces: readonly string[];
}

/**
 * Events about the operator: on its Lease, the one object that stands for all instances. Without a Lease, or where we
 * may not write events beside it, the log and the metrics alone tell.
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
