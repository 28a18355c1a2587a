import { describe, expect, test } from "vitest";
import {
  acquireDelayMs,
  assertElectionTimes,
  claimLease,
  mayAcquire,
  microTime,
  observe,
  releaseLease,
  requestTimeoutMs,
} from "../../../operator/engine/election.ts";
import type { Lease, LeaseSpec } from "../../../operator/ports.ts";

const wallClock = new Date("2026-03-04T05:06:07.089Z");
const now = "2026-03-04T05:06:07.089000Z";
const earlier = "2026-03-04T05:00:00.000000Z";

function aLease(spec: LeaseSpec = {}, uid = "uid-1", resourceVersion = "1"): Lease {
  return {
    metadata: { uid, resourceVersion },
    spec: {
      holderIdentity: "rival",
      leaseDurationSeconds: 15,
      acquireTime: earlier,
      renewTime: earlier,
      leaseTransitions: 3,
      ...spec,
    },
  };
}

describe("observe()", () => {
  const first = { lease: aLease(), sinceMs: 1_000 };

  test.for([
    { does: "records the time of the first observation", before: undefined, lease: aLease(), sinceMs: 9_000 },
    { does: "keeps the time of an unchanged record", before: first, lease: aLease(), sinceMs: 1_000 },
    {
      does: "is not affected by a change outside the record",
      before: first,
      lease: aLease({}, "uid-1", "2"),
      sinceMs: 1_000,
    },
    {
      does: "records the time of a renewal",
      before: first,
      lease: aLease({ renewTime: now }),
      sinceMs: 9_000,
    },
    {
      does: "records the time of another holder",
      before: first,
      lease: aLease({ holderIdentity: "b" }),
      sinceMs: 9_000,
    },
    {
      does: "records the time of a recreated lease",
      before: first,
      lease: aLease({}, "uid-2"),
      sinceMs: 9_000,
    },
    {
      does: "records the time of an empty lease",
      before: first,
      lease: { metadata: aLease().metadata },
      sinceMs: 9_000,
    },
  ])("$does", ({ before, lease, sinceMs }) => {
    expect(observe(before, lease, 9_000)).toEqual({ lease, sinceMs });
  });
});

describe("mayAcquire()", () => {
  test.for([
    { when: "a change of a rival's lease was just observed", spec: {}, nowMs: 1_000, may: false },
    { when: "a rival's lease is about to expire", spec: {}, nowMs: 15_999, may: false },
    { when: "a rival's lease did not change for its duration", spec: {}, nowMs: 16_000, may: true },
    {
      when: "a rival's own duration is longer",
      spec: { leaseDurationSeconds: 60 },
      nowMs: 16_000,
      may: false,
    },
    {
      when: "a rival's times are an hour ahead",
      spec: { renewTime: "2026-03-04T06:06:07.000000Z" },
      nowMs: 16_000,
      may: true,
    },
    {
      when: "a rival's times are an hour behind",
      spec: { renewTime: "2026-03-04T04:06:07.000000Z" },
      nowMs: 2_000,
      may: false,
    },
    { when: "it is our lease", spec: { holderIdentity: "me" }, nowMs: 1_000, may: true },
    { when: "it was released", spec: { holderIdentity: "" }, nowMs: 1_000, may: true },
  ])("returns $may when $when", ({ spec, nowMs, may }) => {
    expect(mayAcquire({ lease: aLease(spec), sinceMs: 1_000 }, "me", nowMs)).toBe(may);
  });

  test("returns true for a lease without a record", () => {
    expect(mayAcquire({ lease: { metadata: { uid: "u", resourceVersion: "1" } }, sinceMs: 0 }, "me", 0)).toBe(
      true,
    );
  });
});

describe("claimLease()", () => {
  const claim = { identity: "me", leaseDurationMs: 15_000, wallClock };

  test("creates a missing lease with term 0", () => {
    expect(claimLease({ ...claim, found: undefined, isRenewal: false })).toEqual({
      holderIdentity: "me",
      leaseDurationSeconds: 15,
      acquireTime: now,
      renewTime: now,
      leaseTransitions: 0,
    });
  });

  test("acquires an expired or released lease with the next term", () => {
    expect(claimLease({ ...claim, found: aLease().spec, isRenewal: false })).toMatchObject({
      holderIdentity: "me",
      acquireTime: now,
      leaseTransitions: 4,
    });
  });

  test("renews with the same term and time of acquisition", () => {
    const found = aLease({ holderIdentity: "me" }).spec;
    expect(claimLease({ ...claim, found, isRenewal: true })).toEqual({ ...found, renewTime: now });
  });

  test("rounds the duration up: other replicas never wait for less time than we assume", () => {
    expect(
      claimLease({ ...claim, leaseDurationMs: 1_500, found: undefined, isRenewal: false })
        .leaseDurationSeconds,
    ).toBe(2);
  });
});

test("releaseLease() leaves a lease of one second without a holder, in the same term", () => {
  expect(releaseLease(aLease({ strategy: "x" }).spec ?? {}, wallClock)).toEqual({
    holderIdentity: "",
    leaseDurationSeconds: 1,
    acquireTime: now,
    renewTime: now,
    leaseTransitions: 3,
    strategy: "x",
  });
});

describe("assertElectionTimes()", () => {
  const good = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 };

  test.for([
    { times: {}, message: undefined },
    {
      times: { leaseDurationMs: 10_000 },
      message: "the lease duration (10s) must be more than the renew deadline (10s)",
    },
    {
      times: { renewDeadlineMs: 2_400 },
      message: "the renew deadline (2.4s) must be more than 1.2 times the retry period (2s)",
    },
    { times: { renewDeadlineMs: 2_401 }, message: undefined },
    { times: { retryPeriodMs: 249 }, message: "the retry period (0.249s) must be at least 0.25s" },
    { times: { retryPeriodMs: Number.NaN }, message: "the retry period" },
    { times: { renewDeadlineMs: 1_999 }, message: "the renew deadline (1.999s) must be at least 2s" },
    {
      times: { leaseDurationMs: 2_999, renewDeadlineMs: 2_500 },
      message: "the lease duration (2.999s) must be at least 3s",
    },
    { times: { leaseDurationMs: 3_000, renewDeadlineMs: 2_000, retryPeriodMs: 250 }, message: undefined },
    { times: { leaseDurationMs: Number.NaN }, message: "the lease duration" },
  ])("$times: $message", ({ times, message }) => {
    const act = (): void => assertElectionTimes({ ...good, ...times });
    if (message === undefined) expect(act).not.toThrow();
    else expect(act).toThrow(message);
  });
});

test("acquireDelayMs() spreads attempts over 1 to 2.2 retry periods", () => {
  expect([0, 0.5, 1].map((random) => acquireDelayMs(2_000, random))).toEqual([2_000, 3_200, 4_400]);
});

test("requestTimeoutMs() is half of the renew deadline, at least 1 s", () => {
  expect([10_000, 1_500].map(requestTimeoutMs)).toEqual([5_000, 1_000]);
});

test("microTime() has six digits", () => {
  expect(microTime(wallClock)).toBe(now);
});
