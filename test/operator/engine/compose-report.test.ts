import { describe, expect, test } from "vitest";
import { type AssessedRun, asWorkedOn, composeReport } from "../../../operator/engine/compose-report.ts";
import { NotOwnedError, ObjectRejectedError } from "../../../operator/errors.ts";
import type { PublishState } from "../../../operator/ports.ts";
import { FakeClock } from "../../fakes/fake-clock.ts";
import { aGadgetKind, Gadget } from "../../fakes/gadget.ts";
import { aResource } from "../../fakes/resources.ts";

const resource = { ...aResource(aGadgetKind(), { generation: 3 }), status: { observedGeneration: 2 } };
const applied = { state: "applied", count: 1 } as const;
const published: PublishState = { state: "published", record: { digest: "d", tree: "t", commit: "c" } };

/** The report of a run, what was told for metrics, and what its status was composed from. */
function compose(more: Partial<AssessedRun> = {}) {
  const progress: string[] = [];
  const order: unknown[] = [];
  const run: AssessedRun = {
    ...{ key: "shop/web", kind: Gadget, resource, changes: [], health: undefined, error: undefined },
    ...{ outcome: applied, applied, publish: undefined, hasRepository: true },
    compose: ({ publish, nowIso }) => {
      order.push(publish?.state, nowIso);
      return { observedGeneration: 3 };
    },
    wakeUps: () => {
      order.push("wake-ups");
      return { retryWithinMs: undefined };
    },
    ...more,
  };
  const report = composeReport(run, {
    refusals: { retryAfterMs: () => undefined },
    progress: {
      live: (key, generation) => void progress.push(`live ${key} ${generation}`),
      committed: (key, generation) => void progress.push(`committed ${key} ${generation}`),
    },
    clock: new FakeClock(),
    random: () => 0,
  });
  return { report, progress, order };
}

describe("composeReport()", () => {
  test("composes the status first, and then the time of the requeue", () => {
    const { report, order } = compose();
    expect(order).toEqual([
      "skipped",
      expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      "wake-ups",
    ]);
    expect(report.change).toEqual({
      status: { observedGeneration: 3 },
      patch: { observedGeneration: 3 },
    });
  });

  test.for([
    { is: "nothing where there is no repository", publish: undefined, hasRepository: false, told: undefined },
    { is: "skipped where nothing was offered", publish: undefined, hasRepository: true, told: "skipped" },
    { is: "what was answered", publish: published, hasRepository: true, told: "published" },
  ])("reports the publication as $is", ({ publish, hasRepository, told }) => {
    expect(compose({ publish, hasRepository }).order[0]).toBe(told);
  });

  test("has no change if the status is unchanged", () => {
    const { report } = compose({ compose: () => ({ observedGeneration: 2 }) });
    expect(report.change).toBeUndefined();
  });

  test.for([
    { waitsForCommit: true, requeueAfterMs: 1_000, composed: false },
    { waitsForCommit: false, requeueAfterMs: undefined, composed: true },
  ])("delays the status for a commit: $waitsForCommit", ({ waitsForCommit, requeueAfterMs, composed }) => {
    const pending = { state: "pending", sinceMs: new FakeClock().now() } as const;
    const { report } = compose({ waitsForCommit, publish: pending });
    expect(report.change !== undefined).toBe(composed);
    expect(report.requeueAfterMs).toEqual([requeueAfterMs]);
  });

  test("reports the progress of the generation when everything is applied", () => {
    expect(compose({ publish: published }).progress).toEqual(["live shop/web 3", "committed shop/web 3"]);
    expect(compose({ outcome: { state: "waiting" } }).progress).toEqual([]);
  });

  const failed = new Error("no");
  const rejected = new ObjectRejectedError("/ConfigMap/shop/a", "no");
  const foreign = new NotOwnedError("/ConfigMap/shop/b", { name: "a team" });

  test.for([
    { state: "failed", error: failed, errors: undefined, retried: failed },
    { state: "deleting", error: failed, errors: undefined, retried: failed },
    { state: "refused", error: rejected, errors: undefined, retried: undefined },
    { state: "refused", error: rejected, errors: [rejected, foreign], retried: undefined },
    { state: "refused", error: rejected, errors: [rejected, foreign, failed], retried: failed },
    { state: "waiting", error: undefined, errors: [rejected, failed], retried: failed },
    { state: "failed", error: undefined, errors: [], retried: undefined },
  ])("is retried, $state with $error of $errors: $retried", ({ state, error, errors, retried }) => {
    expect(compose({ outcome: { state }, error, errors }).report.retried).toBe(retried);
  });

  test("is requeued for the earliest of all requested times", () => {
    const wakeUps = () => ({ instantInMs: 7, retryWithinMs: 9, againAfterMs: [undefined, 5] });
    const { report } = compose({ wakeUps });
    expect(report).toMatchObject({ retryWithinMs: 9, requeueAfterMs: [7, undefined, 5] });
  });
});

describe("asWorkedOn()", () => {
  test("sets the processed generation of a resource, and returns the same object if it is already set", () => {
    expect(asWorkedOn(resource, 2).metadata).toEqual({ ...resource.metadata, generation: 2 });
    expect(asWorkedOn(resource, 3)).toBe(resource);
    expect(asWorkedOn(resource, undefined)).toBe(resource);
  });
});
