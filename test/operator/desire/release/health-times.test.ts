import { describe, expect, test } from "vitest";
import type { LiveObject } from "../../../../crds/object.ts";
import {
  availableSince,
  type HealthTurn,
  latestOf,
  turnAfter,
} from "../../../../operator/desire/release/health-times.ts";

const at = (minute: number): string => `2026-11-21T12:${String(minute).padStart(2, "0")}:00Z`;
const workload = (kind: string, status: object = {}): LiveObject => ({
  apiVersion: "apps/v1",
  kind,
  metadata: { name: "web", namespace: "shop", uid: "u", resourceVersion: "1" },
  ours: true,
  status,
});
const available = (since: string, status = "True") =>
  workload("Deployment", { conditions: [{ type: "Available", status, lastTransitionTime: since }] });

/** Looks at one Release, one per minute. Gives when each says that the objects became healthy. */
function look(
  looks: readonly { readonly isHealthy: boolean; readonly objects?: readonly LiveObject[] }[],
  { isRecorded = true } = {},
): readonly (string | undefined)[] {
  let turn: HealthTurn | undefined;
  return looks.map(({ isHealthy, objects = [] }, minute) => {
    turn = turnAfter(turn, { isHealthy, isRecorded, objects, nowIso: at(minute) });
    return turn.turnedAt;
  });
}

const [well, ill] = [{ isHealthy: true }, { isHealthy: false }];

describe("turnAfter()", () => {
  test("returns no time for objects that were healthy at every check", () => {
    expect(look([well, well])).toEqual([undefined, undefined]);
  });

  test("returns the time when they became healthy, also at later checks", () => {
    expect(look([well, ill, well, well])).toEqual([undefined, undefined, at(2), at(2)]);
    expect(look([ill, well])).toEqual([undefined, at(1)]);
  });

  test("returns the same object while no health changed", () => {
    const seen = { isRecorded: true, objects: [], nowIso: at(0) };
    for (const { isHealthy } of [well, ill]) {
      const turn = turnAfter(undefined, { ...seen, isHealthy });
      expect(turnAfter(turn, { ...seen, isHealthy })).toBe(turn);
    }
  });

  test.for(["StatefulSet", "DaemonSet", "ReplicaSet"])(
    "does not count the time in which no operator watched a %s",
    (kind) => {
      const quiet = { ...well, objects: [workload(kind)] };
      expect(look([quiet, quiet])).toEqual([at(0), at(0)]);
      // Nothing is on record that could be believed.
      expect(look([quiet], { isRecorded: false })).toEqual([undefined]);
    },
  );
});

describe("availableSince()", () => {
  test("is the time in the conditions of a workload", () => {
    expect(availableSince(available(at(30)))).toBe(at(30));
    expect(availableSince(available(at(30), "False"))).toBeUndefined();
    expect(availableSince(workload("StatefulSet"))).toBeUndefined();
  });

  test("is that of the condition Ready of other objects", () => {
    const conditions = [{ type: "Ready", status: "True", lastTransitionTime: at(9) }];
    expect(availableSince(workload("Certificate", { conditions }))).toBe(at(9));
  });
});

describe("latestOf()", () => {
  test("compares times in every format, and ignores values that are not times", () => {
    expect(latestOf([at(1), undefined, "soon", "2026-11-21T13:00:30+01:00", at(2)])).toBe(at(2));
    expect(latestOf(["2026-11-21T14:00:30+01:00", at(2)])).toBe("2026-11-21T14:00:30+01:00");
    expect(latestOf([undefined, "soon"])).toBeUndefined();
  });
});
