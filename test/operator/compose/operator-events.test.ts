import { describe, expect, test } from "vitest";
import { createOperatorEvents } from "../../../operator/compose/operator-events.ts";

const event = { type: "Warning", reason: "SweepHeld", action: "Sweep", note: "why" } as const;

function told({ namespaces = [] as readonly string[], leads = true } = {}) {
  const seen: object[] = [];
  const announce = createOperatorEvents({
    events: {
      record: ({ kind, metadata }, { reason }) =>
        void seen.push({
          kind,
          name: metadata.name,
          namespace: metadata.namespace,
          uid: metadata.uid,
          reason,
        }),
    },
    election: { term: leads ? { leaseUid: "1234", transitions: 2 } : undefined },
    lease: ["fairlead-system", "fairlead"],
    namespaces,
  });
  announce(event);
  return seen;
}

const onLease = { kind: "Lease", name: "fairlead", namespace: "fairlead-system", uid: "1234" };

describe("events about the operator", () => {
  test("are on its Lease", () => {
    expect(told()).toEqual([{ ...onLease, reason: "SweepHeld" }]);
  });

  test("are not written without a Lease, or without permission", () => {
    expect(told({ leads: false })).toEqual([]);
    expect(told({ namespaces: ["shop"] })).toEqual([]);
    expect(told({ namespaces: ["shop", "fairlead-system"] })).toHaveLength(1);
  });
});
