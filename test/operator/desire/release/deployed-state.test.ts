import { describe, expect, test } from "vitest";
import type { Condition } from "../../../../crds/conditions.ts";
import type { ReleaseHistoryEntry } from "../../../../crds/release.ts";
import {
  composeDeployed,
  type DeployedStateInput,
} from "../../../../operator/desire/release/deployed-state.ts";

const at = (minute: number): string => `2026-11-21T12:${String(minute).padStart(2, "0")}:00Z`;
const folder = { revision: "a", tree: "t" };
const entry = (digest: string, minute: number): ReleaseHistoryEntry => ({
  ...{ revision: "a", digest, author: "Ann", subject: "Change", outcome: "Ready" },
  ...{ committedAt: at(0), deployedAt: at(minute) },
});
const healthy = (status: "True" | "False" | "Unknown", minute: number): Condition => ({
  ...{ type: "Healthy", status, reason: "Healthy", message: "", lastTransitionTime: at(minute) },
});
const seen = { digest: "d1", isHealthy: true, turnedAt: undefined };
/** What is composed of the first deployment, in the minute 1, of generation 3. */
const compose = (more: Partial<DeployedStateInput> = {}) =>
  composeDeployed({
    previous: undefined,
    deployed: folder,
    history: [entry("d1", 1)],
    appliedDigest: "d1",
    generation: 3,
    conditions: [healthy("True", 1)],
    seen,
    ...more,
  });
const previous = { ...folder, digest: "d1", generation: 3, since: at(1), healthySince: at(5) };

describe("composeDeployed()", () => {
  test("is empty before anything is deployed", () => {
    expect(compose({ deployed: undefined })).toBeUndefined();
  });

  test("has digest, generation and times of the set that was found to be fully applied", () => {
    expect(compose()).toEqual({
      ...folder,
      ...{ digest: "d1", generation: 3, since: at(1), healthySince: at(1) },
    });
  });

  test("reads the digest of a deployment of an earlier operator version from the history", () => {
    const input = { previous: folder, appliedDigest: undefined, seen: undefined };
    expect(compose(input)).toEqual({ ...folder, digest: "d1", since: at(1) });
  });

  test("keeps the time while the manifests are the same, for any commit and generation", () => {
    const deployed = { revision: "b", tree: "u" };
    const history = [{ ...entry("d1", 30), revision: "b" }, entry("d1", 1)];
    expect(compose({ previous, deployed, history, generation: 4 })).toEqual({
      ...previous,
      ...deployed,
      generation: 4,
    });
  });

  test("resets the time for other manifests", () => {
    const input = {
      previous,
      history: [entry("d2", 30), entry("d1", 1)],
      appliedDigest: "d2",
      generation: 4,
    };
    expect(compose({ ...input, seen: { ...seen, digest: "d2" } })).toEqual({
      ...folder,
      ...{ digest: "d2", generation: 4, since: at(30), healthySince: at(30) },
    });
  });

  test("is unchanged, except for the health, while other manifests are not fully applied", () => {
    const other = { previous, appliedDigest: undefined, generation: 4, seen: { ...seen, digest: "d2" } };
    const { healthySince: _, ...rest } = previous;
    expect(compose(other)).toEqual(rest);
    expect(compose({ ...other, seen: undefined })).toEqual(previous);
  });

  test.for([
    { what: "while an object is not healthy", more: { conditions: [healthy("False", 9)] } },
    { what: "while the health is unknown", more: { conditions: [healthy("Unknown", 9)] } },
    { what: "after a check found them unhealthy", more: { seen: { ...seen, isHealthy: false } } },
  ])("has no healthySince $what", ({ more }) => {
    expect(compose({ previous, ...more })).not.toHaveProperty("healthySince");
  });

  test.for([
    { what: "when the condition changed", more: { conditions: [healthy("True", 9)] }, is: at(9) },
    { what: "when it was observed", more: { seen: { ...seen, turnedAt: at(11) } }, is: at(11) },
    { what: "not before the deployment", more: { history: [entry("d1", 20)] }, is: at(20) },
  ])("is healthy since the last change: $what", ({ more, is }) => {
    expect(compose({ conditions: [healthy("True", 1)], ...more })).toMatchObject({ healthySince: is });
  });

  test("is never set to an earlier time", () => {
    expect(compose({ previous, conditions: [healthy("True", 1)] })).toEqual(previous);
    expect(compose({ previous, seen: { ...seen, turnedAt: at(3) } })).toEqual(previous);
  });
});
