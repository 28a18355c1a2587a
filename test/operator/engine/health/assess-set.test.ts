import { describe, expect, test } from "vitest";
import { assessSet, unhealthySinceMs, withTimeout } from "../../../../operator/engine/health/assess-set.ts";
import type { Health } from "../../../../operator/engine/health/health.ts";
import { aRelease, aSourceManifest, asOwned, asPrepared } from "../../../fakes/releases.ts";

const inProgress: Health = { status: "InProgress", reason: "Updating", message: "1 of 2" };
const time = { sinceMs: 1_000, timeout: "5m", timeoutMs: 300_000 };

describe("assessSet()", () => {
  test("has the health of its worst object, and names it", () => {
    const prepared = asPrepared([
      aSourceManifest("v1", "ConfigMap", "a"),
      aSourceManifest("v1", "ConfigMap", "b"),
    ]);
    const [first] = prepared.objects.map(({ manifest }) => asOwned(manifest).live);
    const health = assessSet({
      prepared,
      liveOf: ({ id }) => (id === "/ConfigMap/shop/a" ? first : undefined),
      assess: (live) =>
        live === undefined
          ? { status: "NotFound", reason: "NotFound", message: "does not exist" }
          : { status: "Current", reason: "Current", message: "" },
      ...time,
      nowMs: 1_000,
    });
    expect(health).toEqual({
      status: "NotFound",
      reason: "NotFound",
      message: "ConfigMap shop/b: does not exist",
      recheckAfterMs: 300_000,
    });
  });
});

describe("assessSet(), if all objects are healthy,", () => {
  test("contains nothing that changes often, such as the number of pods", () => {
    const prepared = asPrepared([aSourceManifest("apps/v1", "Deployment", "a")]);
    const health = assessSet({
      prepared,
      liveOf: ({ manifest }) => asOwned(manifest).live,
      assess: () => ({ status: "Current", reason: "Current", message: "3 pods available" }),
      ...time,
      nowMs: 1_000,
    });
    expect(health).toMatchObject({ status: "Current", message: "1 object in place" });
  });
});

describe("assessSet(), of a namespace that it is only to ensure,", () => {
  test("does not require one that another client created", () => {
    const prepared = asPrepared(
      [],
      {},
      aRelease({ spec: { target: { namespace: "prod", createNamespace: true } } }),
    );
    const health = assessSet({
      prepared,
      liveOf: () => undefined,
      assess: () => ({ status: "NotFound", reason: "NotFound", message: "" }),
      ...time,
      nowMs: 1_000,
    });
    expect(prepared.objects).toHaveLength(1);
    expect(health.status).toBe("Current");
  });
});

describe("withTimeout()", () => {
  test.for([
    {
      case: "is checked again when the timeout has passed",
      nowMs: 201_000,
      is: { ...inProgress, recheckAfterMs: 100_000 },
    },
    {
      case: "has failed then",
      nowMs: 301_000,
      is: {
        status: "Failed",
        reason: "Timeout",
        message: "1 of 2; not healthy for longer than its timeout of 5m",
      },
    },
    {
      case: "has the full timeout if the clock was set back",
      nowMs: -1_000_000,
      is: { ...inProgress, recheckAfterMs: 300_000 },
    },
  ])("an object in progress $case", ({ nowMs, is }) => {
    expect(withTimeout(inProgress, { ...time, nowMs })).toEqual(is);
  });

  test("is checked earlier if an object requests it", () => {
    expect(withTimeout({ ...inProgress, recheckAfterMs: 10 }, { ...time, nowMs: 1_000 }).recheckAfterMs).toBe(
      10,
    );
  });

  test.for(["Current", "Suspended", "Failed"] as const)("%s needs no time", (status) => {
    const health: Health = { status, reason: "X", message: "" };
    expect(withTimeout(health, { ...time, nowMs: 1e12 })).toBe(health);
  });
});

describe("unhealthySinceMs()", () => {
  const healthy = (status: "True" | "False" | "Unknown", lastTransitionTime: string, type = "Healthy") => ({
    type,
    status,
    reason: "X",
    message: "",
    lastTransitionTime,
  });
  const at = (minute: number) => `2026-11-21T12:${String(minute).padStart(2, "0")}:00Z`;
  const nowMs = Date.parse(at(59));

  test.for([
    { case: "it was healthy until now", conditions: [healthy("True", at(1))], deployedAt: at(2), since: 59 },
    { case: "its health is unknown", conditions: undefined, deployedAt: at(2), since: 59 },
    {
      case: "it has just been deployed",
      conditions: [healthy("False", at(1))],
      deployedAt: undefined,
      since: 59,
    },
    {
      case: "it was unhealthy before it was deployed",
      conditions: [healthy("False", at(1))],
      deployedAt: at(2),
      since: 2,
    },
    {
      case: "another commit waited before",
      conditions: [healthy("False", at(7), "Applied")],
      deployedAt: undefined,
      isNew: true,
      since: 59,
    },
    {
      case: "it has waited for an object since then",
      conditions: [healthy("False", at(7), "Applied"), healthy("False", at(1))],
      deployedAt: undefined,
      since: 7,
    },
    {
      case: "it became unhealthy afterwards",
      conditions: [healthy("False", at(5))],
      deployedAt: at(2),
      since: 5,
    },
  ])("$case: minute $since", ({ conditions, deployedAt, isNew = false, since }) => {
    expect(unhealthySinceMs({ conditions, deployedAt, isNew, nowMs })).toBe(Date.parse(at(since)));
  });
});
