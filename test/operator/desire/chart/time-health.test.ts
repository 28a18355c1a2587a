import { describe, expect, test } from "vitest";
import { type KindMemory, timeHealth, timeoutOf } from "../../../../operator/desire/chart/time-health.ts";
import type { Health } from "../../../../operator/engine/health/health.ts";
import { SpecInvalidError } from "../../../../operator/errors.ts";
import { aGadgetKind } from "../../../fakes/gadget.ts";
import { aResource } from "../../../fakes/resources.ts";

const kind = aGadgetKind();
const startMs = Date.parse("2026-01-01T00:00:00Z");
const inProgress: Health = { status: "InProgress", reason: "Progressing", message: "0 of 1 ready" };
const current: Health = { status: "Current", reason: "Healthy", message: "ready" };
const empty: KindMemory = { uid: "u", unhealthy: undefined };

/** The health some seconds after the start, with a timeout of one minute. */
const at = (seconds: number, memory: KindMemory, { health = inProgress, digest = "d1", status = {} } = {}) =>
  timeHealth(health, {
    resource: { ...aResource(kind, { generation: 2 }), status },
    ...{ memory, digest, timeout: { timeout: "1m", timeoutMs: 60_000 }, nowMs: startMs + seconds * 1_000 },
  });

const healthy = (reason: string, observedGeneration = 2) => {
  const lastTransitionTime = new Date(startMs - 3_600_000).toISOString();
  return {
    conditions: [{ type: "Healthy", status: "False", reason, lastTransitionTime, observedGeneration }],
  };
};

describe("timeHealth()", () => {
  test("fails objects at the end of the timeout, from when they were first seen unhealthy", () => {
    const first = at(0, empty);
    expect(first.health).toEqual({ ...inProgress, recheckAfterMs: 60_000 });
    const later = at(40, first.memory);
    expect(later.health).toEqual({ ...inProgress, recheckAfterMs: 20_000 });
    expect(later.memory).toBe(first.memory);
    expect(at(60, later.memory).health).toMatchObject({ status: "Failed", reason: "Timeout" });
  });

  test("counts the time of other objects anew", () => {
    const { memory } = at(0, empty);
    const other = at(59, memory, { digest: "d2" });
    expect(other.health).toEqual({ ...inProgress, recheckAfterMs: 60_000 });
    expect(at(118, other.memory, { digest: "d2" }).health.status).toBe("InProgress");
    expect(at(119, other.memory, { digest: "d2" }).health.status).toBe("Failed");
  });

  test("counts anew after the objects were healthy", () => {
    const { memory } = at(0, empty);
    const between = at(30, memory, { health: current });
    expect(between).toEqual({ health: current, memory: empty });
    expect(at(70, between.memory).health.status).toBe("InProgress");
  });

  test("remembers nothing of healthy objects", () => {
    expect(at(0, empty, { health: current }).memory).toBe(empty);
  });

  test.for([
    { what: "that had failed stays failed", status: healthy("Failed"), is: "Failed" },
    {
      what: "that had failed with an earlier spec counts anew",
      status: healthy("Failed", 1),
      is: "InProgress",
    },
    { what: "that was in progress counts anew", status: healthy("Progressing"), is: "InProgress" },
  ])("a resource $what after a restart of the operator", ({ status, is }) => {
    expect(at(0, empty, { status }).health.status).toBe(is);
  });
});

describe("timeoutOf()", () => {
  const resource = aResource(kind);
  const of = (timeout: () => string | undefined) => () => timeoutOf(resource, { policy: { timeout } });

  test("is that of the kind, in milliseconds", () => {
    expect(of(() => "1m30s")()).toEqual({ timeout: "1m30s", timeoutMs: 90_000 });
    expect(of(() => undefined)()).toBeUndefined();
    expect(timeoutOf(resource, { policy: {} })).toBeUndefined();
  });

  test.for([
    { what: "no duration", timeout: () => "soon" },
    {
      what: "an error",
      timeout: () => {
        throw new Error("no spec");
      },
    },
  ])("refuses $what", ({ timeout }) => {
    expect(of(timeout)).toThrow(SpecInvalidError);
  });
});
