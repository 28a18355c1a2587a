import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FairSemaphore, type Permit } from "../../../operator/runtime/fair-semaphore.ts";
import { FakeClock } from "../../fakes/fake-clock.ts";

interface Run {
  readonly tenant: string;
  readonly weight: number;
  /** Runs that had begun before it was requested. */
  readonly requestedAfter: number;
  readonly cancel: () => void;
  state: "waiting" | "running" | "over" | "cancelled";
  permit?: Permit;
}

const tenants = ["a", "b", "c", "d"] as const;
const limits = fc.record({
  permits: fc.integer({ min: 1, max: 6 }),
  perTenant: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
  // As large as the largest run, because a larger one would never begin.
  young: fc.constantFrom(undefined, 6),
  mixed: fc.boolean(),
  byTime: fc.boolean(),
});
const steps = fc.array(
  fc.oneof(
    fc.record({
      do: fc.constant("request"),
      tenant: fc.constantFrom(...tenants),
      weight: fc.integer({ min: 1, max: 8 }),
    }),
    fc.record({ do: fc.constantFrom("release", "cancel", "grow"), which: fc.nat() }),
  ),
  { maxLength: 60 },
);

/** A semaphore, and all runs that it was asked to begin. */
function aSemaphore({ permits, perTenant, young, mixed, byTime }: Limits) {
  const semaphore = new FairSemaphore({
    permits,
    mixed,
    ...(perTenant !== undefined && { perTenant }),
    ...(young !== undefined && { young }),
    ...(byTime && { clock: new FakeClock() }),
  });
  const runs: Run[] = [];
  const begun: Run[] = [];
  const request = (tenant: string, weight: number): void => {
    let early: Permit | undefined;
    let run: Run | undefined;
    const cancel = semaphore.request(
      tenant,
      (permit) => {
        if (run === undefined) early = permit;
        else begin(run, permit);
      },
      { weight },
    );
    run = {
      tenant,
      weight: Math.min(weight, permits),
      requestedAfter: begun.length,
      cancel,
      state: "waiting",
    };
    runs.push(run);
    if (early !== undefined) begin(run, early);
  };
  const begin = (run: Run, permit: Permit): void => {
    expect(run.state).toBe("waiting");
    run.state = "running";
    run.permit = permit;
    begun.push(run);
  };
  const inState = (state: Run["state"]): Run[] => runs.filter((run) => run.state === state);
  return { semaphore, runs, begun, request, inState };
}

interface Limits {
  readonly permits: number;
  readonly perTenant: number | undefined;
  readonly young: number | undefined;
  readonly mixed: boolean;
  readonly byTime: boolean;
}

function end(run: Run): void {
  run.state = "over";
  run.permit?.release();
}

const sum = (runs: readonly Run[]): number => runs.reduce((total, { weight }) => total + weight, 0);

describe("FairSemaphore", () => {
  test("never grants more permits than it has, or than one tenant may hold", () => {
    fc.assert(
      fc.property(limits, steps, (limit, todo) => {
        const { semaphore, request, inState } = aSemaphore(limit);
        for (const step of todo) {
          if ("tenant" in step) request(step.tenant, step.weight);
          else act(step.do, step.which, inState);
          const running = inState("running");
          expect(semaphore.held).toBe(sum(running));
          expect(sum(running)).toBeLessThanOrEqual(limit.permits);
          if (!limit.mixed) expect(new Set(running.map(({ tenant }) => tenant)).size).toBeLessThanOrEqual(1);
          for (const tenant of tenants) {
            const own = running.filter((run) => run.tenant === tenant);
            if (own.length > 1) expect(sum(own)).toBeLessThanOrEqual(limit.perTenant ?? limit.permits);
          }
        }
      }),
    );
  });

  test("eventually starts every run that is not cancelled", () => {
    fc.assert(
      fc.property(limits, steps, (limit, todo) => {
        const { semaphore, runs, request, inState } = aSemaphore(limit);
        for (const step of todo) {
          if ("tenant" in step) request(step.tenant, step.weight);
          else act(step.do, step.which, inState);
        }
        for (let [run] = inState("running"); run !== undefined; [run] = inState("running")) end(run);
        expect(inState("waiting")).toEqual([]);
        expect(semaphore.held).toBe(0);
        expect(runs.every(({ state }) => state === "over" || state === "cancelled")).toBe(true);
      }),
    );
  });

  test("starts at most one more run of each other tenant before a run than its tenant has ahead of it", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.constantFrom(...tenants, "a", undefined, undefined, undefined), { maxLength: 80 }),
        (permits, todo) => {
          const { runs, begun, request, inState } = aSemaphore({
            permits,
            perTenant: undefined,
            young: undefined,
            mixed: true,
            byTime: false,
          });
          const ahead = new Map<Run, number>();
          for (const tenant of todo) {
            if (tenant === undefined) {
              const [run] = inState("running");
              if (run !== undefined) end(run);
              continue;
            }
            const own = inState("waiting").filter((run) => run.tenant === tenant).length;
            request(tenant, 1);
            const run = runs.at(-1);
            if (run !== undefined) ahead.set(run, own);
          }
          for (const [at, run] of begun.entries()) {
            for (const other of tenants) {
              if (other === run.tenant) continue;
              const before = begun.slice(run.requestedAfter, at).filter(({ tenant }) => tenant === other);
              expect(before.length).toBeLessThanOrEqual((ahead.get(run) ?? 0) + 1);
            }
          }
        },
      ),
    );
  });
});

/** Ends, cancels or ages one of the runs for which that is possible. */
function act(what: string, which: number, inState: (state: Run["state"]) => Run[]): void {
  const runs = inState(what === "cancel" ? "waiting" : "running");
  const run = runs[which % Math.max(1, runs.length)];
  if (run === undefined) return;
  if (what === "cancel") {
    run.state = "cancelled";
    run.cancel();
  } else if (what === "grow") run.permit?.grow();
  else end(run);
}
