import { describe, expect, test } from "vitest";
import { batchSizeOf } from "../../../charts/pipeline/batches.ts";
import { assessRelease } from "../../../charts/pipeline/release-state.ts";
import type { ReleaseView } from "../../../charts/pipeline/release-view.ts";

const at = (minutes: number): string =>
  new Date(Date.UTC(2026, 0, 1, 0, minutes)).toISOString().replace(".000Z", "Z");
const clockAt = (minutes: number) => ({
  reached: (instant: string | Date) => new Date(instant) <= new Date(at(minutes)),
});
const condition = (type: string, status: string, reason = "Reconciled") =>
  [type, { type, status, reason, message: `it is ${reason}`, lastTransitionTime: at(5) }] as const;
const healthy = [condition("Ready", "True"), condition("Healthy", "True")];

const release = (change: Partial<ReleaseView> = {}): ReleaseView => ({
  key: "shop/web",
  name: "web",
  namespace: "shop",
  stage: "prod",
  pin: { revision: "r", digest: "d" },
  isPinOurs: true,
  asked: undefined,
  next: undefined,
  deployed: { revision: "r", digest: "d", generation: 2, since: at(0), healthySince: at(1) },
  isSuspended: false,
  isDeleting: false,
  isObserved: true,
  generation: 2,
  conditions: new Map(healthy),
  ...change,
});

describe("assessRelease()", () => {
  const deployed = { revision: "r", digest: "d", generation: 2, since: at(0), healthySince: at(1) };
  const { healthySince: _, ...ill } = deployed;

  test.for<{ when: string; change?: Partial<ReleaseView> | undefined; minutes?: number; is: object }>([
    { when: "it has been healthy for long enough", is: { state: "Proven", at: at(11) } },
    {
      when: "it has not been healthy for long enough",
      minutes: 10,
      is: { state: "Soaking", until: at(11), isDescribed: true },
    },
    {
      when: "it is pinned to another commit",
      change: { pin: { revision: "q", digest: "d" } },
      is: { state: "Deploying" },
    },
    {
      when: "it is pinned with another digest",
      change: { pin: { revision: "r", digest: "e" } },
      is: { state: "Deploying" },
    },
    { when: "another manager has pinned it", change: { isPinOurs: false }, is: { state: "Deploying" } },
    { when: "it is suspended", change: { isSuspended: true }, is: { state: "Deploying" } },
    { when: "it is being deleted", change: { isDeleting: true }, is: { state: "Deploying" } },
    {
      when: "another digest is deployed",
      change: { deployed: { ...deployed, digest: "e" } },
      is: { state: "Deploying" },
    },
    {
      when: "its status has no deployed commit",
      change: { deployed: undefined },
      is: { state: "Deploying" },
    },
    {
      when: "its status is of an earlier generation",
      change: { isObserved: false },
      is: { state: "Soaking", isDescribed: false },
    },
    {
      when: "it was fully deployed at an earlier generation",
      change: { deployed: { ...deployed, generation: 1 } },
      is: { state: "Soaking", isDescribed: false },
    },
    {
      when: "it became healthy before it was deployed",
      change: { deployed: { ...deployed, since: at(8) } },
      minutes: 17,
      is: { state: "Soaking", until: at(18) },
    },
    { when: "it is unhealthy", change: { deployed: ill }, is: { state: "Unhealthy", since: at(0) } },
    {
      when: "its condition says that it is unhealthy",
      change: {
        conditions: new Map([
          condition("Ready", "False", "Progressing"),
          condition("Healthy", "False", "Progressing"),
        ]),
      },
      is: { state: "Unhealthy", message: "is not healthy: it is Progressing" },
    },
    {
      when: "its objects have failed",
      change: {
        conditions: new Map([condition("Ready", "False", "Failed"), condition("Healthy", "False", "Failed")]),
      },
      is: { state: "Failed", at: at(5) },
    },
    {
      when: "its objects had failed at an earlier generation",
      change: {
        isObserved: false,
        conditions: new Map([condition("Ready", "False", "Failed"), condition("Healthy", "False", "Failed")]),
      },
      is: { state: "Unhealthy" },
    },
    {
      when: "its remote does not respond",
      change: {
        conditions: new Map([condition("Ready", "False", "SourceUnreachable"), condition("Healthy", "True")]),
      },
      is: { state: "Proven" },
    },
    {
      when: "a prune waits for approval",
      change: {
        conditions: new Map([condition("Ready", "False", "PruneHeld"), condition("Healthy", "True")]),
      },
      is: { state: "Deploying", message: "is not ready: it is PruneHeld" },
    },
    {
      when: "the API server rejects an object",
      change: { deployed: undefined, conditions: new Map([condition("Ready", "False", "ApplyRejected")]) },
      is: { state: "Refused", at: at(5) },
    },
  ])("is $is.state when $when", ({ change, minutes = 30, is }) => {
    const target = { revision: "r", digest: "d", soak: "10m" };
    expect(assessRelease(release(change), target, clockAt(minutes))).toMatchObject(is);
  });

  test("waits for a missing Release", () => {
    expect(assessRelease(undefined, { revision: "r", digest: "d", soak: "0s" }, clockAt(0))).toMatchObject({
      state: "Deploying",
    });
  });
});

describe("batchSizeOf()", () => {
  test.for([
    [undefined, 10, 10],
    [3, 10, 3],
    [30, 10, 30],
    ["20%", 10, 2],
    ["25%", 10, 2],
    ["5%", 10, 1],
    ["100%", 7, 7],
  ] as const)("%s of %i is %i", ([batch, count, size]) => {
    expect(batchSizeOf(batch, count)).toBe(size);
  });
});
